"""Startup, readiness and liveness probes over HTTP, asked as the kubelet asks them."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class Probe:
    """One probe of a container, with Kubernetes' defaults filled in, and its answers in a row."""

    handler: Mapping[str, Any]
    initial_delay: float
    period: float
    timeout: float
    enough_successes: int
    enough_failures: int
    successes: int = 0
    failures: int = 0

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
            enough_successes=given.get("successThreshold", 1),
            enough_failures=given.get("failureThreshold", 3),
        )

    async def ask(self, address: str, ports: Mapping[str, int]) -> str:
        """Ask once; return why it failed, as the kubelet's event words it, or "".

        Args:
            address: the pod's address.
            ports: the container's ports by name.

        """
        get = self.handler.get("httpGet")
        if get is None:
            return "the lab's kubelet asks no probes of this kind"
        scheme = get.get("scheme", "HTTP").lower()
        port = ports.get(get["port"], get["port"])
        url = f"{scheme}://{get.get('host') or address}:{port}{get.get('path', '/')}"
        limit = aiohttp.ClientTimeout(total=self.timeout)
        try:
            async with aiohttp.ClientSession(timeout=limit) as session, session.get(url, ssl=False) as answer:
                if HTTPStatus.OK <= answer.status < HTTPStatus.BAD_REQUEST:
                    return ""
                return f"HTTP probe failed with statuscode: {answer.status}"
        except TimeoutError:
            return f'Get "{url}": context deadline exceeded'
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return f'Get "{url}": {error}'

    def count(self, *, passed: bool) -> bool | None:
        """Return True or False when a threshold is reached by this answer, else None."""
        if passed:
            self.successes, self.failures = self.successes + 1, 0
            return True if self.successes >= self.enough_successes else None
        self.successes, self.failures = 0, self.failures + 1
        return False if self.failures >= self.enough_failures else None
