"""Every entry against the SDK's classes and AWS's service models."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from importlib.metadata import version
from typing import Any

import pytest

from lab.aws_provider import PLUGIN_VERSION, mapping
from lab.aws_provider.api import operation_model
from lab.aws_provider.catalogue import TYPES
from lab.aws_provider.expand import expand
from lab.aws_provider.flatten import flatten
from lab.aws_provider.mapping import COMMON, mapped
from lab.aws_provider.resource_type import BUILT, ResourceType

_WANTED = {
    *("ec2/vpc:Vpc", "ec2/subnet:Subnet", "ec2/internetGateway:InternetGateway"),
    *("ec2/natGateway:NatGateway", "ec2/eip:Eip", "ec2/routeTable:RouteTable", "ec2/route:Route"),
    *("ec2/routeTableAssociation:RouteTableAssociation", "ec2/vpcEndpoint:VpcEndpoint"),
    *("ec2/flowLog:FlowLog", "ec2/securityGroup:SecurityGroup"),
    *("ec2/defaultSecurityGroup:DefaultSecurityGroup", "ec2/placementGroup:PlacementGroup"),
    *("ec2/launchTemplate:LaunchTemplate", "ec2/availabilityZoneGroup:AvailabilityZoneGroup"),
    "vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    "vpc/securityGroupEgressRule:SecurityGroupEgressRule",
    *("iam/role:Role", "iam/rolePolicy:RolePolicy", "iam/rolePolicyAttachment:RolePolicyAttachment"),
    *("kms/key:Key", "cloudwatch/logGroup:LogGroup"),
    *("eks/cluster:Cluster", "eks/nodeGroup:NodeGroup", "eks/addon:Addon"),
    *("eks/accessEntry:AccessEntry", "eks/accessPolicyAssociation:AccessPolicyAssociation"),
    *("eks/podIdentityAssociation:PodIdentityAssociation", "autoscaling/schedule:Schedule"),
    *("efs/fileSystem:FileSystem", "efs/mountTarget:MountTarget", "efs/accessPoint:AccessPoint"),
    "fsx/lustreFileSystem:LustreFileSystem",
}
_KINDS = pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: kind.pulumi_type)


def _sdk_class(kind: ResourceType) -> Any:
    module, _, name = kind.pulumi_type.removeprefix("aws:").partition("/")
    return getattr(importlib.import_module(f"pulumi_aws.{module}"), name.partition(":")[2])


def _sdk_arguments(kind: ResourceType) -> set[str]:
    made = _sdk_class(kind)
    arguments = getattr(importlib.import_module(made.__module__), f"{made.__name__}Args")
    properties = inspect.getmembers(arguments, lambda member: isinstance(member, property))
    return {value.fget._pulumi_name for _, value in properties}


def test_these_types_are_served_and_no_others() -> None:
    assert {token.removeprefix("aws:") for token in TYPES} == _WANTED


@_KINDS
def test_the_sdk_has_the_type_and_each_of_its_inputs(kind: ResourceType) -> None:
    constructor = inspect.getsource(_sdk_class(kind)._internal_init)
    assert re.search(rf"['\"]{re.escape(kind.pulumi_type)}['\"]", constructor)
    common = ({"tags"} if kind.tagging else set()) | ({"region"} if kind.regional else set())
    assert common <= set(COMMON)
    assert {*kind.inputs, *common} - _sdk_arguments(kind) == set()


@_KINDS
def test_the_sdk_has_each_of_its_outputs(kind: ResourceType) -> None:
    hints = inspect.getmembers(_sdk_class(kind), lambda member: isinstance(member, property))
    known = {getattr(value.fget, "_pulumi_name", None) for _, value in hints}
    assert set(kind.outputs) - known == set()


@_KINDS
def test_each_input_has_a_place_in_a_request_and_something_that_changes_it(kind: ResourceType) -> None:
    for name, entry in kind.inputs.items():
        assert entry.replaces is not bool(entry.update), name
        assert not entry.update or entry.update in kind.updates, name
        if entry.create not in {None, BUILT} and entry.to_api is None:
            shape = _shape(kind, name, entry.create or "")
            assert shape is not None, name
    assert set(kind.identity) <= set(kind.inputs)
    assert not kind.name or kind.name in kind.inputs


def _shape(kind: ResourceType, name: str, path: str) -> Any:
    shape = operation_model(kind.service, kind.create).input_shape
    return mapping._shape_at(shape, path or mapping._member(kind, shape, name), kind, name)


def test_a_key_that_a_shape_lacks_is_refused() -> None:
    template = TYPES["aws:ec2/launchTemplate:LaunchTemplate"]
    with pytest.raises(Exception, match=r"metadataOptions\.httpTonken: this stand-in does not map it"):
        mapped(template, {"metadataOptions": {"httpTonken": "required"}})


def test_text_that_the_sdk_sends_for_booleans_and_numbers_becomes_what_ec2_takes() -> None:
    template = TYPES["aws:ec2/launchTemplate:LaunchTemplate"]
    interfaces = [{"deleteOnTermination": "true", "securityGroups": ["sg-1"], "networkCardIndex": 1}]
    request = mapped(template, {"networkInterfaces": interfaces, "monitoring": {"enabled": True}})
    assert request["LaunchTemplateData"] == {
        "NetworkInterfaces": [{"DeleteOnTermination": True, "Groups": ["sg-1"], "NetworkCardIndex": 1}],
        "Monitoring": {"Enabled": True},
    }


def test_what_aws_describes_comes_back_as_the_program_spelled_it() -> None:
    given = [{"resourceType": "instance", "tags": {"Name": "x"}}]
    shape = operation_model("ec2", "CreateLaunchTemplate").input_shape.members["LaunchTemplateData"]
    sent = expand(given, shape.members["TagSpecifications"], "tagSpecifications", {})
    assert sent == [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "x"}]}]
    assert flatten(sent, given, {}) == given
    assert flatten(True, "true", {}) == "true"
    assert flatten(["b", "c", "a"], ["a", "b"], {}) == ["a", "b", "c"]
    document = {"Version": "1", "Statement": []}
    assert flatten(json.dumps(document, indent=2), json.dumps(document), {}) == json.dumps(document)


def test_the_plugin_has_the_version_that_the_sdk_asks_for() -> None:
    assert version("pulumi-aws") == PLUGIN_VERSION
