"""Which resource of the older side is which of the newer one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.comparison.resources_of_tests import kubernetes_object, said

if TYPE_CHECKING:
    from resource_graph import Resource


def _files(content_hash: str, text: str, stem: str = "graph-engine") -> Resource:
    return kubernetes_object("v1", "ConfigMap", f"{stem}-{content_hash}", data={"a.yaml": text})


def _thing(version: str, **metadata: Any) -> Resource:
    return kubernetes_object(f"example.com/{version}", "Thing", "one", metadata=metadata)


def _scaler(version: str) -> Resource:
    return kubernetes_object(f"autoscaling/{version}", "HorizontalPodAutoscaler", "one")


_OLD = _files("5bf3fe4aa5", "size: 1\n")
_SIDES: dict[str, tuple[Resource, list[Resource], list[str]]] = {
    "another hash in a name is the same object, changed": (
        _OLD,
        [_files("0123456789", "size: 2\n")],
        [
            "updated: ConfigMap serving/graph-engine-0123456789",
            "# was named graph-engine-5bf3fe4aa5",
            '@@ data["a.yaml"].size @@',
            "- 1",
            "+ 2",
        ],
    ),
    "names that differ in more than a hash are two objects": (
        _OLD,
        [_files("0123456789", "a", "other")],
        ["deleted: ConfigMap serving/graph-engine-5bf3fe4aa5", "created: ConfigMap serving/other-0123456789"],
    ),
    "names that end in a word are two objects": (
        _files("prefill", "a"),
        [_files("decode", "a")],
        ["deleted: ConfigMap serving/graph-engine-prefill", "created: ConfigMap serving/graph-engine-decode"],
    ),
    "which of two is the renamed one is not guessed": (
        _OLD,
        [_files("0123456789", "b"), _files("abcdefabcd", "c")],
        [
            "deleted: ConfigMap serving/graph-engine-5bf3fe4aa5",
            "created: ConfigMap serving/graph-engine-0123456789",
            "created: ConfigMap serving/graph-engine-abcdefabcd",
        ],
    ),
    "another version of a built-in API is the same object": (
        _scaler("v1"),
        [_scaler("v2")],
        [
            "updated: HorizontalPodAutoscaler serving/one",
            "@@ apiVersion @@",
            "- autoscaling/v1",
            "+ autoscaling/v2",
        ],
    ),
    "another version of a custom API is refused, as one of its name exists": (
        _thing("v1alpha1"),
        [_thing("v1")],
        [
            "updated; refused: Thing serving/one",
            "# To the engine it is another object of this name, and a Thing of this name exists.",
            "@@ apiVersion (refused by the API server) @@",
            "- example.com/v1alpha1",
            "+ example.com/v1",
        ],
    ),
    "one name in two namespaces is two objects": (
        _thing("v1"),
        [_thing("v2", namespace="other")],
        ["deleted: Thing serving/one", "created: Thing other/one"],
    ),
}


@pytest.mark.parametrize("case", _SIDES)
def test_which_object_is_which(case: str) -> None:
    old, new, words = _SIDES[case]
    assert said([old], new) == words
