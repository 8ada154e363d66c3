"""What counts as a passed probe."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from lab.kubelet.probes import Asked, Probe, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence


async def nothing(_: Sequence[str], __: float) -> tuple[int, str]:
    """No command is run."""
    return 0, ""


def probe(**handler: Any) -> Probe:
    made = Probe.of({"readinessProbe": {"timeoutSeconds": 1, **handler}}, "readinessProbe")
    assert made is not None
    return made


async def asked(status: int, port: int | str) -> Asked:
    """The answer of a probe to a server that says one status to everything."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    application = web.Application()
    application.router.add_get("/health", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    given = runner.addresses[0][1] if port == "here" else port
    try:
        get = {"path": "/health", "port": "web"}
        return await probe(httpGet=get).ask("127.0.0.1", {"web": int(given)}, nothing)
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(("status", "passed"), [(200, True), (302, True), (404, False), (503, False)])
def test_a_status_from_200_to_399_passes(status: int, passed: bool) -> None:
    answer = asyncio.run(asked(status, "here"))
    assert answer.passed == passed
    assert str(status) in answer.said


def test_a_port_on_which_nobody_listens_fails_and_says_so() -> None:
    answer = asyncio.run(asked(200, 1))
    assert not answer.passed
    assert "127.0.0.1:1/health" in answer.said


def test_a_verdict_needs_as_many_answers_in_a_row_as_the_probe_says() -> None:
    verdict = Verdict(probe(successThreshold=2, failureThreshold=3))
    answers = [True, False, True, True, False, False, True, False, False, False]
    reached = [verdict.count(passed=each) for each in answers]
    assert reached == [None, None, None, True, None, None, None, None, None, False]


def test_kubernetes_own_defaults_are_filled_in() -> None:
    made = Probe.of({"livenessProbe": {"tcpSocket": {"port": 1}}}, "livenessProbe")
    assert made is not None
    assert (made.period, made.timeout, made.successes, made.failures) == (10, 1, 1, 3)
    assert Probe.of({}, "livenessProbe") is None
