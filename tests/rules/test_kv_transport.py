from typing import Any

import pytest

from tests.rules.judging import TRANSPORT, found, in_program, judge, messages, mutated

UNPROVEN: dict[str, Any] = {
    "name": "tcp",
    "typed": True,
    "standing": "unproven",
    "reason": "it works and is slow",
    "ceiling": "10.3 prompts a second",
}


def judged(transport: Any) -> tuple[set[tuple[str, str, str]], str, bool]:
    report = judge(in_program(mutated(), inputs={"kvTransport": transport}))
    return found(report), messages(report), report.stops


def test_an_unproven_transport_is_reported_with_its_evidence_and_ceiling_and_does_not_stop() -> None:
    findings, said, stops = judged(UNPROVEN)
    assert findings == {(TRANSPORT, "failed", "gpt-oss-disagg")}
    assert "by tcp (serving.kvTransport), which is unproven: it works and is slow; ceiling: 10.3" in said
    assert not stops


@pytest.mark.parametrize("transport", [UNPROVEN | {"standing": "documented"}, {}, None])
def test_a_documented_transport_and_a_graph_that_moves_no_cache_are_left_alone(transport: Any) -> None:
    assert judged(transport)[0] == set()


def test_a_transport_without_a_standing_is_undecided() -> None:
    findings, said, _ = judged({"name": "efa"})
    assert findings == {(TRANSPORT, "undecided", "gpt-oss-disagg")}
    assert "does not say how far" in said
