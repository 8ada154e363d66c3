"""What is listed, how it is called, in which order, and which resource is which on the two sides."""

from dataclasses import replace
from typing import Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from resource_graph import Resource
from tests.comparison.resources_of_tests import deployment, kubernetes_object, resource, said, with_values


def _thing(name: str, **inputs: Any) -> Resource:
    return resource("example:index:Thing", name, inputs)


def _namespace(name: str) -> Resource:
    return kubernetes_object("v1", "Namespace", name, logical_name="ns", metadata={"namespace": None})


def _files(content_hash: str, text: str, stem: str = "graph-engine") -> Resource:
    return kubernetes_object("v1", "ConfigMap", f"{stem}-{content_hash}", data={"a.yaml": text})


_COMPONENT = replace(_thing("one", size=1), custom=False)
_STACK = resource("pulumi:pulumi:Stack", "toy-dev", {})
_PROTECTED = replace(deployment(), protect=True)
_PARTLY_IGNORED = replace(_thing("one", size={"a": 1}, other=1), ignore_changes=("size.a",))
_GUARD = resource("pulumi-python:dynamic/dynamo-stack:PlatformGuard", "guard", {"ownNamespaces": ["a"]})
_OLD = _files("5bf3fe4aa5", "kind: a\nsize: 1\n")
_SIDES: dict[str, tuple[list[Resource], list[Resource], list[str]]] = {
    "what is on both sides alike is not listed": ([deployment()], [deployment()], []),
    "components and the stack itself are left out": (
        [_COMPONENT],
        [_STACK, with_values(_COMPONENT, {"size": 2})],
        [],
    ),
    "what leaves the program and stays in the cluster is left behind": (
        [replace(deployment(), retain_on_delete=True)],
        [],
        ["left behind: Deployment serving/server"],
    ),
    "what is protected and leaves the program is refused, kept or not": (
        [replace(_PROTECTED, retain_on_delete=True)],
        [],
        [
            "deleted; refused; protected: Deployment serving/server",
        ],
    ),
    "protection that is taken away is a change": (
        [_PROTECTED],
        [deployment()],
        [
            "kept and treated otherwise; protected: Deployment serving/server",
            "# The engine refuses to delete it until this is applied, and no longer then.",
            "@@ options.protect @@",
            "- true",
            "+ false",
        ],
    ),
    "changes that the program ignores are none": (
        [_PARTLY_IGNORED],
        [with_values(_PARTLY_IGNORED, {"size/a": 2})],
        [],
    ),
    "changes beside those that the program ignores are told": (
        [_PARTLY_IGNORED],
        [with_values(_PARTLY_IGNORED, {"size/a": 2, "other": 2})],
        ["updated: Thing one", "@@ other @@", "- 1", "+ 2"],
    ),
    "a type that the program has made itself is changed in place": (
        [_GUARD],
        [with_values(_GUARD, {"ownNamespaces": ["a", "b"]})],
        ["updated: PlatformGuard guard", "@@ ownNamespaces[1] @@", "+ b"],
    ),
    "another hash in a name is the same object, changed": (
        [_OLD],
        [_files("0123456789", "kind: a\nsize: 2\n")],
        [
            "updated: ConfigMap serving/graph-engine-0123456789",
            "# was named graph-engine-5bf3fe4aa5",
            '@@ data["a.yaml"].size (rolls pods) @@',
            "- 1",
            "+ 2",
        ],
    ),
    "names that differ in more than a hash are two objects": (
        [_OLD],
        [_files("0123456789", "a", "other")],
        ["deleted: ConfigMap serving/graph-engine-5bf3fe4aa5", "created: ConfigMap serving/other-0123456789"],
    ),
    "names that end in a word are two objects": (
        [_files("prefill", "a")],
        [_files("decode", "a")],
        ["deleted: ConfigMap serving/graph-engine-prefill", "created: ConfigMap serving/graph-engine-decode"],
    ),
    "which of two is the renamed one is not guessed": (
        [_OLD],
        [_files("0123456789", "b"), _files("abcdefabcd", "c")],
        [
            "deleted: ConfigMap serving/graph-engine-5bf3fe4aa5",
            "created: ConfigMap serving/graph-engine-0123456789",
            "created: ConfigMap serving/graph-engine-abcdefabcd",
        ],
    ),
}


@pytest.mark.parametrize("case", _SIDES)
def test_what_becomes_of_each_resource_is_listed(case: str) -> None:
    base, head, words = _SIDES[case]
    assert said(base, head) == words


def test_objects_are_called_by_kind_namespace_and_name_and_others_by_type_and_name() -> None:
    group = resource("aws:eks/nodeGroup:NodeGroup", "gb200-nodes", {"nodeGroupName": "stack-gb200"})
    files = kubernetes_object("v1", "ConfigMap", "files", logical_name="files-of-one")
    unnamed = replace(files, inputs={**files.inputs, "metadata": {"namespace": "serving"}})
    assert said([], [deployment(), _namespace("serving"), group, unnamed]) == [
        "created; holds data: Namespace serving",
        "created: Deployment serving/server",
        "created: NodeGroup gb200-nodes",
        "created: ConfigMap serving/files-of-one",
    ]


def test_what_is_lost_comes_first_and_of_it_what_is_protected_or_holds_data() -> None:
    claim = kubernetes_object("v1", "PersistentVolumeClaim", "data", spec={"volumeMode": "Filesystem"})
    job = kubernetes_object("batch/v1", "Job", "fill", spec={"template": {"spec": {"containers": []}}})
    base = [_thing("first", size=1), _thing("gone"), _thing("last", size=1), job, claim]
    head = [
        _thing("first", size=2),
        _thing("new"),
        _thing("last", size=2),
        with_values(job, {"spec/template/spec/hostNetwork": True}),
        with_values(claim, {"spec/volumeMode": "Block"}),
    ]
    assert [line for line in said(base, head) if line[0] not in "#@+-"] == [
        "updated; refused; holds data: PersistentVolumeClaim serving/data",
        "replaced, the old one first: Job serving/fill",
        "deleted: Thing gone",
        "updated: Thing first",
        "created: Thing new",
        "updated: Thing last",
    ]


def test_of_a_namespace_that_is_renamed_the_old_one_goes() -> None:
    [change] = compare([_namespace("old")], [_namespace("new")])
    assert (change.operation, change.title, change.goes) == (
        Operation.REPLACE,
        "Namespace new",
        "Namespace old",
    )
