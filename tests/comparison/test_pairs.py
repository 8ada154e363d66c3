"""Which resource of the older side is which of the newer one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparison.resources import compare
from tests.comparison.resources_of_tests import kubernetes_object, said, with_inputs

if TYPE_CHECKING:
    from comparison.changes import ResourceChange
    from resource_graph import Resource


def _files(content_hash: str, text: str, stem: str = "graph-engine") -> Resource:
    return kubernetes_object(
        "v1", "ConfigMap", f"{stem}-{content_hash}", data={"a.yaml": text}, immutable=True
    )


def _outcome(*changes: ResourceChange) -> list[str]:
    return [f"{each.operation.value} {each.title}" for each in changes]


def test_a_renamed_config_map_is_changed_and_not_removed_and_added() -> None:
    (found,) = compare([_files("5bf3fe4aa5", "size: 1\n")], [_files("0123456789", "size: 2\n")])
    assert _outcome(found) == ["update ConfigMap serving/graph-engine-0123456789"]
    assert found.renamed_from == "graph-engine-5bf3fe4aa5"
    assert said(found.fields) == ["data a.yaml size: 1 -> 2"]


def test_names_that_differ_in_more_than_a_hash_are_two_objects() -> None:
    found = compare([_files("5bf3fe4aa5", "a")], [_files("0123456789", "a", "other-engine")])
    assert _outcome(*found) == [
        "delete ConfigMap serving/graph-engine-5bf3fe4aa5",
        "create ConfigMap serving/other-engine-0123456789",
    ]


def test_names_that_end_in_a_word_are_two_objects() -> None:
    found = compare([_files("prefill", "a")], [_files("decode", "a")])
    assert [each.operation.value for each in found] == ["delete", "create"]


def test_two_that_could_be_the_renamed_one_are_not_guessed() -> None:
    old, new = _files("5bf3fe4aa5", "a"), [_files("0123456789", "b"), _files("abcdefabcd", "c")]
    assert [each.operation.value for each in compare([old], new)] == ["delete", "create", "create"]


def test_an_object_under_another_version_of_a_built_in_api_is_updated() -> None:
    def scaler(version: str) -> Resource:
        return kubernetes_object(f"autoscaling/{version}", "HorizontalPodAutoscaler", "one", spec={})

    (found,) = compare([scaler("v1")], [scaler("v2")])
    assert _outcome(found) == ["update HorizontalPodAutoscaler serving/one"]
    assert said(found.fields) == ["apiVersion: 'autoscaling/v1' -> 'autoscaling/v2'"]


def test_a_custom_object_under_another_version_of_its_api_is_refused_as_one_of_its_name_exists() -> None:
    def thing(version: str) -> Resource:
        return kubernetes_object(f"example.com/{version}", "Thing", "one", spec={"size": 1})

    (found,) = compare([thing("v1alpha1")], [thing("v1")])
    assert found.is_refused
    assert found.reasons == (
        "To the engine it is another object of this name, and a Thing of this name exists.",
    )


def test_objects_of_one_name_in_two_namespaces_are_two() -> None:
    here = kubernetes_object("example.com/v1", "Thing", "one")
    there = kubernetes_object("example.com/v2", "Thing", "one", metadata={"namespace": "other"})
    assert [each.operation.value for each in compare([here], [there])] == ["delete", "create"]


def test_what_is_on_both_sides_alike_is_not_listed() -> None:
    resource = _files("5bf3fe4aa5", "a")
    assert compare([resource], [with_inputs(resource, lambda _: None)]) == ()
