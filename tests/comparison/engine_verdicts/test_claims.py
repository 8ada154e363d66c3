"""What becomes of a claim, of its class and of what devices are claimed by, for one changed field."""

from dataclasses import replace
from typing import Any

import pytest

from tests.comparison.engine_verdicts.labs_provider import assert_said
from tests.comparison.resources_of_tests import kubernetes_object, said, with_values

_CLAIM = kubernetes_object(
    "v1",
    "PersistentVolumeClaim",
    "data",
    spec={"resources": {"requests": {"storage": "100Gi"}}, "storageClassName": "gp3"},
)
_SIZE = "spec/resources/requests/storage"
_STORAGE_CLASS = kubernetes_object("storage.k8s.io/v1", "StorageClass", "gp3", provisioner="ebs")
_DOMAIN = kubernetes_object("resource.nvidia.com/v1beta1", "ComputeDomain", "domain", spec={"numNodes": 0})
_DEVICES = kubernetes_object("resource.k8s.io/v1", "ResourceClaimTemplate", "gpus", spec={"spec": {}})

_CHANGES: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "a claim grows in place": (
        _CLAIM,
        {_SIZE: "200Gi"},
        [
            "updated; holds data: PersistentVolumeClaim serving/data",
            "@@ spec.resources.requests.storage @@",
            "- 100Gi",
            "+ 200Gi",
        ],
    ),
    "a claim without a class does not grow": (
        with_values(_CLAIM, {"spec/storageClassName": ""}),
        {_SIZE: "1Ti"},
        [
            "updated; refused; holds data: PersistentVolumeClaim serving/data",
            "@@ spec.resources.requests.storage (refused by the API server) @@",
            "- 100Gi",
            "+ 1Ti",
        ],
    ),
    "a claim's size that the program ignores is no change": (
        replace(_CLAIM, ignore_changes=("spec.resources",)),
        {_SIZE: "200Gi"},
        [],
    ),
    "another class replaces a claim, whose data go with it": (
        _CLAIM,
        {"spec/storageClassName": "io2"},
        [
            "replaced, the old one first; holds data: PersistentVolumeClaim serving/data",
            "@@ spec.storageClassName (replaces) @@",
            "- gp3",
            "+ io2",
        ],
    ),
    "the volume mode of a claim is refused": (
        _CLAIM,
        {"spec/volumeMode": "Block"},
        [
            "updated; refused; holds data: PersistentVolumeClaim serving/data",
            "@@ spec.volumeMode (refused by the API server) @@",
            "+ Block",
        ],
    ),
    "another number of nodes of a compute domain is refused": (
        _DOMAIN,
        {"spec/numNodes": 2},
        [
            "updated; refused: ComputeDomain serving/domain",
            "@@ spec.numNodes (refused by the API server) @@",
            "- 0",
            "+ 2",
        ],
    ),
    "other devices of a claim template are refused": (
        _DEVICES,
        {"spec/spec": {"devices": {}}},
        [
            "updated; refused: ResourceClaimTemplate serving/gpus",
            "@@ spec.spec.devices (refused by the API server) @@",
            "+ {}",
        ],
    ),
    "the reclaim policy of a storage class is refused": (
        _STORAGE_CLASS,
        {"reclaimPolicy": "Retain"},
        [
            "updated; refused: StorageClass serving/gp3",
            "@@ reclaimPolicy (refused by the API server) @@",
            "+ Retain",
        ],
    ),
    "other parameters replace a storage class": (
        _STORAGE_CLASS,
        {"parameters": {"type": "io2"}},
        [
            "replaced, the old one first: StorageClass serving/gp3",
            "@@ parameters (replaces) @@",
            '+ {"type": "io2"}',
        ],
    ),
}


@pytest.mark.parametrize("case", _CHANGES)
def test_a_changed_field_says_what_becomes_of_its_object_and_why(case: str) -> None:
    assert_said(*_CHANGES[case])


@pytest.mark.parametrize(
    ("allowed", "words"), [(True, "updated; holds data"), (False, "updated; refused; holds data")]
)
def test_a_claim_grows_only_where_the_class_of_its_stack_allows_it(allowed: bool, words: str) -> None:
    beside = with_values(_STORAGE_CLASS, {"allowVolumeExpansion": allowed})
    first, *_ = said([beside, _CLAIM], [beside, with_values(_CLAIM, {_SIZE: "200Gi"})])
    assert first == f"{words}: PersistentVolumeClaim serving/data"


def test_a_protected_object_that_would_be_replaced_is_refused() -> None:
    before, after = replace(_CLAIM, protect=True), with_values(_CLAIM, {"spec/storageClassName": "io2"})
    assert said([before], [after]) == [
        "replaced, the old one first; refused; protected; holds data: PersistentVolumeClaim serving/data",
        "# The engine refuses to delete it until this is applied, and no longer then.",
        "@@ spec.storageClassName (replaces) @@",
        "- gp3",
        "+ io2",
        "@@ options.protect @@",
        "- true",
        "+ false",
    ]
