"""One stack on both sides, and the verdict on all of them."""

from dataclasses import replace
from typing import Any

import pytest

from comparison.capacity import capacity_of
from comparison.changes import Operation
from comparison.recording import RecordedUpdate, StackRecording, UnreadStack
from comparison.stack_comparison import (
    ComparisonVerdict,
    StackComparison,
    Standing,
    UncomparedStack,
    compare_sides,
    compare_stack,
)
from tests.comparison.made_up import (
    changed,
    comparison,
    finding,
    pool,
    recording,
    refused_size,
    replicas,
    side,
    stack,
    waiver,
)
from tests.comparison.resources_of_tests import kubernetes_object, with_values

FILES = kubernetes_object("v1", "ConfigMap", "files")
OTHER_FILES = with_values(FILES, {"data/decode.yaml": "max_batch_size: 2"})
SERVES, WAITS = StackRecording(name="dev", resources=(FILES,)), recording(opened=(FILES,))
ADVICE = finding(severity="advisory")
_SAME = recording(pools=(pool(),), secrets={"token": "1"}, findings=(ADVICE,))
_VERDICTS: dict[str, tuple[StackRecording, StackRecording, ComparisonVerdict]] = {
    "the same": (_SAME, _SAME, ComparisonVerdict.NO_CHANGES),
    "a new waiver": (recording(), recording(waivers=(waiver("2027-01-01"),)), ComparisonVerdict.CHANGES),
    "a secret that is encrypted anew": (
        _SAME,
        replace(_SAME, secrets={"token": "2"}),
        ComparisonVerdict.CHANGES,
    ),
    "a mandatory finding, however old": (
        recording(findings=(finding(),)),
        recording(findings=(finding(),)),
        ComparisonVerdict.STOPPED,
    ),
}


@pytest.mark.parametrize("case", _VERDICTS)
def test_two_recordings_have_the_verdict_of_what_differs(case: str) -> None:
    before, after, verdict = _VERDICTS[case]
    assert compare_stack(before, after).verdict is verdict


def test_what_would_be_refused_stops_and_the_worst_stack_gives_the_verdict() -> None:
    protected = changed("Cluster eks", Operation.DELETE, is_protected=True)
    update = RecordedUpdate(refused=("cluster.name is fixed",))
    for stopped in (stack(protected), stack(refused_size()), stack(update=update)):
        assert comparison([stack(), stopped, stack(replicas())]).verdict is ComparisonVerdict.STOPPED
    assert comparison([stack(), stack(replicas())]).verdict is ComparisonVerdict.CHANGES
    assert comparison().verdict is ComparisonVerdict.NO_CHANGES


def test_each_setting_that_differs_is_told_and_a_pool_is_known_by_its_name() -> None:
    before = recording(settings={"serving": {"recipe": "a"}, "nodePools": [{"name": "b200", "nodes": 1}]})
    pools = [{"name": "new", "nodes": 1}, {"name": "b200", "nodes": 2}]
    after = recording(settings={"serving": {"recipe": "b"}, "nodePools": pools})
    found = compare_stack(before, after).settings
    assert {(each.path, str(each.before), str(each.after)) for each in found} >= {
        (("serving", "recipe"), "a", "b"),
        (("nodePools", "b200", "nodes"), "1", "2"),
    }
    assert compare_stack(None, after).settings == ()


def _listed(before: StackRecording | None, after: StackRecording) -> tuple[list[Any], list[Any]]:
    """What changes at once, and what changes once the block has opened."""
    found = compare_stack(before, after)
    at_once, opened = (
        [(each.operation, each.title) for each in changes] for changes in (found.resources, found.opened)
    )
    return at_once, opened


_CREATED = (Operation.CREATE, "ConfigMap serving/files")
_OPENED: dict[str, tuple[StackRecording | None, StackRecording, list[Any], list[Any]]] = {
    "what waits is compared as it is once the block has opened": (
        WAITS,
        recording(opened=(OTHER_FILES,)),
        [],
        [(Operation.REPLACE, "ConfigMap serving/files")],
    ),
    "what waits alike": (WAITS, WAITS, [], []),
    "what changes already before is told once": (None, replace(SERVES, opened=(FILES,)), [_CREATED], []),
    "where the newer side alone serves the resources say all": (WAITS, SERVES, [_CREATED], []),
    "where the older side alone serves the resources say all": (
        SERVES,
        WAITS,
        [(Operation.DELETE, "ConfigMap serving/files")],
        [],
    ),
}


@pytest.mark.parametrize("case", _OPENED)
def test_what_waits_for_a_block_is_compared_as_it_opens_and_told_once(case: str) -> None:
    before, after, at_once, opened = _OPENED[case]
    assert _listed(before, after) == (at_once, opened)


def test_a_new_stack_is_one_that_changes() -> None:
    [found] = compare_sides(side(), side(recording())).stacks
    assert isinstance(found, StackComparison)
    assert (found.standing, found.verdict) == (Standing.NEW, ComparisonVerdict.CHANGES)


def test_a_stack_whose_file_is_gone_keeps_its_resources_and_what_they_cost() -> None:
    [found] = compare_sides(side(replace(SERVES, pools=(pool(),))), side()).stacks
    assert isinstance(found, StackComparison)
    assert (found.resources, found.left_behind) == ((), 1)
    assert found.after == found.before == capacity_of([pool()])


def test_a_stack_that_one_side_cannot_read_stands_beside_those_that_are_compared() -> None:
    compared = compare_sides(
        side(recording("a"), recording("b")), side(UnreadStack("a", "broken YAML"), recording("b"))
    )
    unread, read = compared.stacks
    assert unread == UncomparedStack("a", None, "broken YAML")
    assert read.verdict is ComparisonVerdict.NO_CHANGES
    assert compared.verdict is ComparisonVerdict.NOT_COMPARED
