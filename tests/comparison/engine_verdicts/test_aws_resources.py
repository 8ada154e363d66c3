"""What becomes of a resource in an account for one changed input."""

from __future__ import annotations

from typing import Any

import pytest

from comparison.changes import Operation
from comparison.resources import compare
from tests.comparison.resources_of_tests import changed, effects, resource, said

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


@pytest.mark.parametrize(
    ("name", "value", "effect"),
    [
        ("version", "1.36", "rolls nodes"),
        ("releaseVersion", "1.35.0-20261101", "rolls nodes"),
        ("scalingConfig", {"maxSize": 4}, "in place"),
        ("labels", {"a": "c"}, "in place"),
        ("taints", [], "in place"),
        ("amiType", "AL2023_ARM_64_NVIDIA", "replaces"),
        ("instanceTypes", ["p5.48xlarge"], "replaces"),
        ("capacityType", "SPOT", "replaces"),
        ("diskSize", 100, "replaces"),
    ],
)
def test_inputs_of_a_node_group(name: str, value: Any, effect: str) -> None:
    assert set(effects(changed(_GROUP, lambda inputs: inputs.update({name: value}))).values()) == {effect}


def test_a_replaced_resource_of_the_account_is_made_before_the_old_one_goes() -> None:
    found = changed(_GROUP, lambda inputs: inputs.update(amiType="CUSTOM"))
    assert (found.operation, found.deletes_first) == (Operation.REPLACE, False)
    assert found.reasons == ("AWS cannot change amiType of what exists.",)


def test_a_taint_is_told_by_its_key() -> None:
    found = changed(_GROUP, lambda inputs: inputs["taints"][0].update(value="absent"))
    assert said(found.fields) == ["taints nvidia.com/gpu/NO_SCHEDULE value: 'present' -> 'absent'"]


def test_another_offering_buys_another_capacity_block_and_gives_none_back() -> None:
    kind = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
    block = resource(kind, "block", {"capacityBlockOfferingId": "cb-1", "instancePlatform": "Linux/UNIX"})
    found = changed(block, lambda inputs: inputs.update(capacityBlockOfferingId="cb-2"))
    assert (found.operation, found.is_stateful) == (Operation.REPLACE, True)
    assert found.reasons[0].startswith("It buys a Capacity Block")
    assert "stays paid" in found.reasons[1]
    (bought,) = compare([], [block])
    assert bought.reasons == found.reasons[:1]


@pytest.mark.parametrize(
    ("after", "operation"), [(2400, Operation.UPDATE), (600, Operation.REPLACE), (None, Operation.REPLACE)]
)
def test_a_lustre_file_system_grows_in_place_and_is_replaced_to_shrink(
    after: int | None, operation: Operation
) -> None:
    lustre = resource("aws:fsx/lustreFileSystem:LustreFileSystem", "cache", {"storageCapacity": 1200})
    assert changed(lustre, lambda inputs: inputs.update(storageCapacity=after)).operation is operation


def test_a_policy_is_compared_as_the_document_that_it_is() -> None:
    text = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["sts:AssumeRole"]}]}'
    role = resource("aws:iam/role:Role", "role", {"assumeRolePolicy": text})
    found = changed(
        role, lambda inputs: inputs.update(assumeRolePolicy=text.replace("sts:AssumeRole", "sts:TagSession"))
    )
    assert said(found.fields) == [
        "assumeRolePolicy Statement 0 Action 0: 'sts:AssumeRole' -> 'sts:TagSession'"
    ]
