"""Startup, readiness and liveness probes, asked as the kubelet asks them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence


@dataclass(frozen=True)
class Asked:
    """One answer of a probe."""

    passed: bool
    said: str
    """Why it failed, as the kubelet's event words it."""


@dataclass(frozen=True)
class Probe:
    """One probe of a container, with Kubernetes' defaults filled in."""

    handler: Mapping[str, Any]
    initial_delay: float
    period: float
    timeout: float
    successes: int
    failures: int

    @classmethod
    def of(cls, container: Mapping[str, Any], kind: str) -> Probe | None:
        """Return the container's probe of this kind (startupProbe, …), or None."""
        given = container.get(kind)
        if given is None:
            return None
        return cls(
            handler=given,
            initial_delay=given.get("initialDelaySeconds", 0),
            period=given.get("periodSeconds", 10),
            timeout=given.get("timeoutSeconds", 1),
            successes=given.get("successThreshold", 1),
            failures=given.get("failureThreshold", 3),
        )

    async def ask(
        self,
        address: str,
        ports: Mapping[str, int],
        run: Callable[[Sequence[str], float], Awaitable[tuple[int, str]]],
    ) -> Asked:
        """Ask once.

        Args:
            address: the pod's address.
            ports: the container's ports by name.
            run: runs a command in the container for so many seconds; returns its exit code and output.

        """
        if "httpGet" in self.handler:
            return await self._http(address, ports)
        if "tcpSocket" in self.handler:
            return await self._connect(address, ports)
        if "exec" in self.handler:
            code, output = await run(self.handler["exec"]["command"], self.timeout)
            return Asked(code == 0, output)
        return Asked(passed=False, said="the lab's kubelet asks no probes of this kind")

    async def _http(self, address: str, ports: Mapping[str, int]) -> Asked:
        get = self.handler["httpGet"]
        scheme = get.get("scheme", "HTTP").lower()
        url = f"{scheme}://{get.get('host') or address}:{_port(get['port'], ports)}{get.get('path', '/')}"
        limit = aiohttp.ClientTimeout(total=self.timeout)
        try:
            async with aiohttp.ClientSession(timeout=limit) as session, session.get(url, ssl=False) as answer:
                passed = HTTPStatus.OK <= answer.status < HTTPStatus.BAD_REQUEST
                return Asked(passed, f"HTTP probe failed with statuscode: {answer.status}")
        except TimeoutError:
            return Asked(passed=False, said=f'Get "{url}": context deadline exceeded')
        except (aiohttp.ClientError, OSError) as error:
            return Asked(passed=False, said=f'Get "{url}": {error}')

    async def _connect(self, address: str, ports: Mapping[str, int]) -> Asked:
        port = _port(self.handler["tcpSocket"]["port"], ports)
        try:
            opening = asyncio.open_connection(address, port)
            _, writer = await asyncio.wait_for(opening, self.timeout)
        except (TimeoutError, OSError) as error:
            return Asked(passed=False, said=f"dial tcp {address}:{port}: {error}")
        writer.close()
        return Asked(passed=True, said="")


@dataclass
class Verdict:
    """A probe's answers counted against its thresholds."""

    probe: Probe
    successes: int = 0
    failures: int = 0

    def count(self, *, passed: bool) -> bool | None:
        """Return True or False when a threshold is reached by this answer, else None."""
        if passed:
            self.successes, self.failures = self.successes + 1, 0
            return True if self.successes >= self.probe.successes else None
        self.successes, self.failures = 0, self.failures + 1
        return False if self.failures >= self.probe.failures else None


def _port(port: int | str, ports: Mapping[str, int]) -> int:
    return port if isinstance(port, int) else ports.get(port, 0)
