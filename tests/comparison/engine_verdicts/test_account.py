"""What becomes of a resource in an account, or of a Helm release, for one changed input."""

from typing import Any

import pytest

from tests.comparison.resources_of_tests import resource, said, said_of

_GROUP = resource(
    "aws:eks/nodeGroup:NodeGroup",
    "nodes",
    {
        "amiType": "AL2023_x86_64_NVIDIA",
        "version": "1.35",
        "scalingConfig": {"maxSize": 2},
        "labels": {"a": "b"},
        "taints": [{"key": "nvidia.com/gpu", "effect": "NO_SCHEDULE", "value": "present"}],
        "updateConfig": {"maxUnavailable": 1},
    },
)
_BLOCK = resource(
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
    "block",
    {"capacityBlockOfferingId": "cb-1", "instancePlatform": "Linux/UNIX"},
)
_LUSTRE = resource("aws:fsx/lustreFileSystem:LustreFileSystem", "cache", {"storageCapacity": 1200})
_TRUST = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["sts:AssumeRole"]}]}'
_ROLE = resource("aws:iam/role:Role", "role", {"assumeRolePolicy": _TRUST})
_RELEASE = resource(
    "kubernetes:helm.sh/v3:Release",
    "platform",
    {
        "chart": "platform",
        "name": "platform",
        "namespace": "system",
        "version": "1.2.1",
        "values": {"a": {"b": 1}},
    },
)
_CHANGES: dict[str, tuple[Any, dict[str, Any], list[str]]] = {
    "another version or release of a node group rolls its nodes": (
        _GROUP,
        {"version": "1.36", "releaseVersion": "1.35.0-20261101"},
        [
            "updated: NodeGroup nodes",
            "@@ releaseVersion (rolls nodes) @@",
            "+ 1.35.0-20261101",
            "@@ version (rolls nodes) @@",
            "- 1.35",
            "+ 1.36",
        ],
    ),
    "size, labels and taints of a node group are changed in place, a taint by its key": (
        _GROUP,
        {"scalingConfig": {"maxSize": 4}, "labels": {"a": "c"}, "taints/0/value": "absent"},
        [
            "updated: NodeGroup nodes",
            "@@ labels.a @@",
            "- b",
            "+ c",
            "@@ scalingConfig.maxSize @@",
            "- 2",
            "+ 4",
            '@@ taints["nvidia.com/gpu"].value @@',
            "- present",
            "+ absent",
        ],
    ),
    "another image, type, market or disk replaces a node group, the new one first": (
        _GROUP,
        {"amiType": "CUSTOM", "instanceTypes": ["p5.48xlarge"], "capacityType": "SPOT", "diskSize": 100},
        [
            "replaced: NodeGroup nodes",
            "@@ amiType (replaces) @@",
            "- AL2023_x86_64_NVIDIA",
            "+ CUSTOM",
            "@@ capacityType (replaces) @@",
            "+ SPOT",
            "@@ diskSize (replaces) @@",
            "+ 100",
            "@@ instanceTypes (replaces) @@",
            '+ ["p5.48xlarge"]',
        ],
    ),
    "another offering buys another capacity block and gives none back": (
        _BLOCK,
        {"capacityBlockOfferingId": "cb-2"},
        [
            "replaced; holds data: CapacityBlockReservation block",
            "# It buys a Capacity Block: the whole fee is paid at once, and nothing gives it back.",
            "# The Capacity Block that was bought before runs on and stays paid: to delete it does nothing.",
            "@@ capacityBlockOfferingId (replaces) @@",
            "- cb-1",
            "+ cb-2",
        ],
    ),
    "a lustre file system grows in place": (
        _LUSTRE,
        {"storageCapacity": 2400},
        ["updated; holds data: LustreFileSystem cache", "@@ storageCapacity @@", "- 1200", "+ 2400"],
    ),
    "a lustre file system is replaced to shrink": (
        _LUSTRE,
        {"storageCapacity": 600},
        [
            "replaced; holds data: LustreFileSystem cache",
            "@@ storageCapacity (replaces) @@",
            "- 1200",
            "+ 600",
        ],
    ),
    "a lustre file system is replaced for no size": (
        _LUSTRE,
        {"storageCapacity": None},
        [
            "replaced; holds data: LustreFileSystem cache",
            "@@ storageCapacity (replaces) @@",
            "- 1200",
        ],
    ),
    "a policy is compared as the document that it is": (
        _ROLE,
        {"assumeRolePolicy": _TRUST.replace("sts:AssumeRole", "sts:TagSession")},
        [
            "updated: Role role",
            "@@ assumeRolePolicy.Statement[0].Action[0] @@",
            "- sts:AssumeRole",
            "+ sts:TagSession",
        ],
    ),
    "values and version of a release are upgraded in place, and what restarts is not known": (
        _RELEASE,
        {"values/a/b": 2, "version": "1.4.2"},
        [
            "updated: Release platform",
            "# Helm upgrades it in place; which of the chart's objects change or restart is not compared.",
            "@@ values.a.b @@",
            "- 1",
            "+ 2",
            "@@ version @@",
            "- 1.2.1",
            "+ 1.4.2",
        ],
    ),
    "another namespace is another release beside the old one": (
        _RELEASE,
        {"namespace": "other"},
        [
            "replaced: Release platform",
            "# Helm cannot change namespace of a release.",
            "@@ namespace (replaces) @@",
            "- system",
            "+ other",
        ],
    ),
}


@pytest.mark.parametrize("case", _CHANGES)
def test_a_changed_input_says_what_becomes_of_its_resource_and_why(case: str) -> None:
    before, values, words = _CHANGES[case]
    assert said_of(before, values) == words


def test_a_new_capacity_block_is_said_to_be_bought() -> None:
    assert said([], [_BLOCK]) == [
        "created; holds data: CapacityBlockReservation block",
        "# It buys a Capacity Block: the whole fee is paid at once, and nothing gives it back.",
    ]
