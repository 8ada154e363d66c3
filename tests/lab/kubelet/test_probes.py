"""What counts as a passed probe."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lab.kubelet.probes import Probe
from tests.lab.kubelet.pods import answering


def probe(**handler: Any) -> Probe:
    made = Probe.of({"readinessProbe": {"timeoutSeconds": 1, **handler}}, "readinessProbe")
    assert made is not None
    return made


async def asked(status: int) -> str:
    """The answer of a probe to a server that says one status to everything."""
    async with answering([status]) as port:
        return await probe(httpGet={"path": "/health", "port": "web"}).ask("127.0.0.1", {"web": port})


@pytest.mark.parametrize(
    ("status", "failure"), [(200, ""), (399, ""), (404, "statuscode: 404"), (503, "statuscode: 503")]
)
def test_a_status_from_200_to_399_passes(status: int, failure: str) -> None:
    said = asyncio.run(asked(status))
    assert failure in said
    assert bool(said) == bool(failure)


@pytest.mark.parametrize(
    ("handler", "failure"),
    [
        ({"httpGet": {"path": "/health", "port": 1}}, "127.0.0.1:1/health"),
        ({"tcpSocket": {"port": 1}}, "the lab's kubelet asks no probes of this kind"),
    ],
)
def test_what_cannot_be_asked_fails_and_says_so(handler: dict[str, Any], failure: str) -> None:
    assert failure in asyncio.run(probe(**handler).ask("127.0.0.1", {}))


def test_a_verdict_needs_as_many_answers_in_a_row_as_the_probe_says() -> None:
    counting = probe(successThreshold=2, failureThreshold=3)
    answers = [True, False, True, True, False, False, True, False, False, False]
    reached = [counting.count(passed=each) for each in answers]
    assert reached == [None, None, None, True, None, None, None, None, None, False]
