"""What is listed, how it is called and in which order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from comparison.changes import Operation
from comparison.resources import compare
from tests.comparison.resources_of_tests import (
    changed,
    deployment,
    effects,
    kubernetes_object,
    resource,
    said,
    with_inputs,
)


def _thing(name: str, **inputs: Any) -> Any:
    return resource("example:index:Thing", name, inputs)


def test_objects_are_called_by_kind_namespace_and_name_and_others_by_type_and_name() -> None:
    namespace = kubernetes_object(
        "v1", "Namespace", "serving", logical_name="ns", metadata={"namespace": None}
    )
    group = resource("aws:eks/nodeGroup:NodeGroup", "gb200-nodes", {"nodeGroupName": "stack-gb200"})
    unnamed = with_inputs(
        kubernetes_object("v1", "ConfigMap", "files", logical_name="files-of-one"),
        lambda inputs: inputs["metadata"].pop("name"),
    )
    titles = [each.title for each in compare([], [deployment(), namespace, group, unnamed])]
    assert sorted(titles) == [
        "ConfigMap serving/files-of-one",
        "Deployment serving/server",
        "Namespace serving",
        "NodeGroup gb200-nodes",
    ]


def test_components_and_the_stack_itself_are_left_out() -> None:
    component = replace(_thing("one", size=1), custom=False)
    stack = resource("pulumi:pulumi:Stack", "toy-dev", {})
    assert compare([component], [stack, replace(component, inputs={"size": 2})]) == ()


def test_what_is_lost_comes_first_and_of_it_what_is_protected_or_holds_data() -> None:
    claim = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec={"volumeMode": "Filesystem"})
    job = kubernetes_object("batch/v1", "Job", "fill", spec={"template": {"spec": {"containers": []}}})
    base = [_thing("first", size=1), _thing("gone"), _thing("last", size=1), job, claim]
    head = [
        _thing("first", size=2),
        _thing("new"),
        _thing("last", size=2),
        with_inputs(job, lambda inputs: inputs["spec"]["template"]["spec"].update(hostNetwork=True)),
        with_inputs(claim, lambda inputs: inputs["spec"].update(volumeMode="Block")),
    ]
    assert [f"{each.operation.value} {each.title}" for each in compare(base, head)] == [
        "update PersistentVolumeClaim serving/data",
        "replace Job serving/fill",
        "delete Thing gone",
        "update Thing first",
        "create Thing new",
        "update Thing last",
    ]


def test_what_leaves_the_program_and_stays_in_the_cluster_is_forgotten() -> None:
    (found,) = compare([replace(deployment(), retain_on_delete=True)], [])
    assert (found.operation, found.is_refused) == (Operation.FORGET, False)


def test_a_protected_resource_that_leaves_the_program_is_refused_kept_or_not() -> None:
    (found,) = compare([replace(deployment(), protect=True, retain_on_delete=True)], [])
    assert (found.operation, found.is_refused) == (Operation.DELETE, True)
    assert found.reasons == ("The engine refuses to delete what is protected.",)


def test_protection_that_is_taken_away_is_a_change() -> None:
    before = replace(deployment(), protect=True)
    (found,) = compare([before], [replace(before, protect=False)])
    assert (found.operation, said(found.fields)) == (Operation.KEEP, ["options protect: True -> False"])
    assert found.reasons == ("The engine refuses to delete it until this is applied, and no longer then.",)


def test_a_replacement_of_what_is_kept_leaves_the_old_one_behind() -> None:
    before = replace(deployment(), retain_on_delete=True)
    found = changed(before, lambda inputs: inputs["metadata"].update(name="other"))
    assert found.reasons[-1].startswith("The old one stays where it is")


def test_changes_that_the_program_ignores_are_none() -> None:
    before = replace(_thing("one", size={"a": 1}, other=1), ignore_changes=("size.a",))
    assert compare([before], [replace(before, inputs={"size": {"a": 2}, "other": 1})]) == ()
    (found,) = compare([before], [replace(before, inputs={"size": {"a": 2}, "other": 2})])
    assert effects(found) == {"other": "in place"}


def test_a_new_custom_type_of_the_engine_is_compared_and_changed_in_place() -> None:
    guard = resource("pulumi-python:dynamic/dynamo-stack:PlatformGuard", "guard", {"ownNamespaces": ["a"]})
    found = changed(guard, lambda inputs: inputs["ownNamespaces"].append("b"))
    assert said(found.fields) == ["ownNamespaces 1: None -> 'b'"]


def test_a_namespace_that_is_renamed_takes_the_old_one_away() -> None:
    old, new = (
        kubernetes_object("v1", "Namespace", name, logical_name="ns", metadata={"namespace": None})
        for name in ("old", "new")
    )
    [change] = compare([old], [new])
    assert (change.operation, change.title, change.goes) == (
        Operation.REPLACE,
        "Namespace new",
        "Namespace old",
    )
