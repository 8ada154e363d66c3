"""One stack on both sides, and the verdict on all of them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from comparison.capacity import capacity_of
from comparison.changes import Operation
from comparison.recording import RecordedUpdate, StackRecording, UnreadStack
from comparison.stack_comparison import (
    StackComparison,
    Standing,
    UncomparedStack,
    Verdict,
    compare_sides,
    compare_stack,
)
from resource_graph import Resource
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

TODAY = dt.date(2026, 11, 24)
CONFIG_MAP = Resource(
    urn="urn:pulumi:dev::dynamo-stack::kubernetes:core/v1:ConfigMap::files",
    type="kubernetes:core/v1:ConfigMap",
    name="files",
    inputs={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files", "namespace": "gpt-oss"}},
)


def test_two_recordings_that_say_the_same_are_no_change() -> None:
    same = recording(pools=(pool(),), secrets={"token": "1"}, findings=(finding(severity="advisory"),))
    assert compare_stack(same, same, TODAY).verdict is Verdict.NO_CHANGES


def test_each_setting_that_differs_is_told_and_a_pool_is_known_by_its_name() -> None:
    before = recording(settings={"serving": {"recipe": "a"}, "nodePools": [{"name": "b200", "nodes": 1}]})
    pools = [{"name": "new", "nodes": 1}, {"name": "b200", "nodes": 2}]
    after = recording(settings={"serving": {"recipe": "b"}, "nodePools": pools})
    found = compare_stack(before, after, TODAY).settings
    assert {(each.path, str(each.before), str(each.after)) for each in found} >= {
        (("serving", "recipe"), "a", "b"),
        (("nodePools", "b200", "nodes"), "1", "2"),
    }
    assert compare_stack(recording(), after, TODAY).settings == ()


def test_a_new_stack_creates_all_that_it_has() -> None:
    new = recording()
    found = compare_sides(side(), side(new), TODAY).stacks[0]
    assert isinstance(found, StackComparison)
    assert (found.standing, found.verdict) == (Standing.NEW, Verdict.CHANGES)


def test_resources_of_both_sides_are_compared() -> None:
    with_files = recording()
    with_files = type(with_files)(name="dev", resources=(CONFIG_MAP,))
    found = compare_stack(recording(), with_files, TODAY)
    assert [(each.title, each.operation) for each in found.resources] == [
        ("ConfigMap gpt-oss/files", Operation.CREATE)
    ]


def test_what_waits_for_a_block_is_compared_as_it_is_once_the_block_has_opened() -> None:
    other = replace(CONFIG_MAP, inputs={**CONFIG_MAP.inputs, "data": {"decode.yaml": "max_batch_size: 2"}})
    before, after = recording(opened=(CONFIG_MAP,)), recording(opened=(other,))
    found = compare_stack(before, after, TODAY)
    assert found.resources == ()
    assert [(each.title, each.operation) for each in found.opened] == [
        ("ConfigMap gpt-oss/files", Operation.REPLACE)
    ]
    assert found.verdict is Verdict.CHANGES
    assert compare_stack(before, before, TODAY).verdict is Verdict.NO_CHANGES


def test_what_changes_already_before_a_block_opens_is_told_once() -> None:
    with_files = StackRecording(name="dev", resources=(CONFIG_MAP,), opened=(CONFIG_MAP,))
    found = compare_stack(None, with_files, TODAY)
    assert [each.title for each in found.resources] == ["ConfigMap gpt-oss/files"]
    assert found.opened == ()


def test_where_one_side_alone_waits_the_resources_say_all() -> None:
    waits, serves = recording(opened=(CONFIG_MAP,)), StackRecording(name="dev", resources=(CONFIG_MAP,))
    for before, after in ((waits, serves), (serves, waits)):
        found = compare_stack(before, after, TODAY)
        assert [each.title for each in found.resources] == ["ConfigMap gpt-oss/files"]
        assert found.opened == ()


def test_a_stack_whose_file_is_gone_keeps_its_resources_and_what_they_cost() -> None:
    old = type(recording())(name="dev", resources=(CONFIG_MAP,), pools=(pool(),))
    [found] = compare_sides(side(old), side(), TODAY).stacks
    assert isinstance(found, StackComparison)
    assert (found.resources, found.left_behind) == ((), 1)
    assert found.after == found.before == capacity_of([pool()])


def test_a_stack_that_one_side_cannot_read_stands_beside_those_that_are_compared() -> None:
    compared = compare_sides(
        side(recording("a"), recording("b")), side(UnreadStack("a", "broken YAML"), recording("b")), TODAY
    )
    unread, read = compared.stacks
    assert unread == UncomparedStack("a", None, "broken YAML")
    assert read.verdict is Verdict.NO_CHANGES
    assert compared.verdict is Verdict.NOT_COMPARED


def test_a_secret_that_is_encrypted_anew_is_a_change_by_its_name() -> None:
    before, after = (recording(secrets={"token": text, "other": "1"}) for text in ("1", "2"))
    found = compare_stack(before, after, TODAY)
    assert (found.secrets, found.verdict) == (("token",), Verdict.CHANGES)


def test_what_would_be_refused_or_breaks_a_mandatory_rule_stops() -> None:
    protected = changed("Cluster eks", Operation.DELETE, is_protected=True)
    refused = RecordedUpdate(refused=("cluster.name is fixed",))
    broken = compare_stack(recording(findings=(finding(),)), recording(findings=(finding(),)), TODAY)
    stops = (stack(protected), stack(refused_size()), stack(update=refused), broken)
    assert {each.verdict for each in stops} == {Verdict.STOPPED}
    assert stack(replicas()).verdict is Verdict.CHANGES


def test_the_verdict_of_a_comparison_is_that_of_its_worst_stack() -> None:
    assert comparison().verdict is Verdict.NO_CHANGES
    assert comparison([stack(), stack(replicas())]).verdict is Verdict.CHANGES
    assert comparison([stack(refused_size()), stack(replicas())]).verdict is Verdict.STOPPED


def test_a_waiver_that_is_only_there_on_the_newer_side_is_a_change() -> None:
    found = compare_stack(recording(), recording(waivers=(waiver("2027-01-01"),)), TODAY)
    assert found.verdict is Verdict.CHANGES
