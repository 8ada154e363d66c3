"""What counts as a passed probe."""

import asyncio
from typing import Any

import pytest

from lab.kubelet.probes import Probe


def probe(**handler: Any) -> Probe:
    made = Probe.of({"readinessProbe": {"timeoutSeconds": 1, **handler}}, "readinessProbe")
    assert made is not None
    return made


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
