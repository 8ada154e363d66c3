"""Inputs that only the update knows: what they are made of tells whether they become others."""

import json
from dataclasses import replace
from typing import Any

import pytest

from resource_graph import UNKNOWN
from tests.comparison.resources_of_tests import resource, said, with_values


def _group(template: Any, subnet: Any) -> Any:
    group = resource(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        {"launchTemplate": {"id": UNKNOWN, "version": UNKNOWN}, "subnetIds": [UNKNOWN]},
    )
    reads = {"launchTemplate": frozenset({template.urn}), "subnetIds": frozenset({subnet.urn})}
    return replace(group, property_dependencies=reads)


def _with_group(template: Any, subnet: Any) -> list[Any]:
    return [template, subnet, _group(template, subnet)]


_TEMPLATE = resource(
    "aws:ec2/launchTemplate:LaunchTemplate", "template", {"instanceType": "p5.48xlarge", "name": "nodes"}
)
_OTHERS_TEMPLATE = with_values(_TEMPLATE, {"name": "others"})
_SUBNET, _OTHER_SUBNET = (
    resource("aws:ec2/subnet:Subnet", name, {"cidrBlock": "10.0.0.0/24"}) for name in ("a", "b")
)
_NODE_GROUPS: dict[str, tuple[Any, Any, list[str]]] = {
    "another content of the launch template rolls the nodes": (
        with_values(_TEMPLATE, {"instanceType": "p5en.48xlarge"}),
        _SUBNET,
        [
            "updated: LaunchTemplate template",
            "@@ instanceType @@",
            "- p5.48xlarge",
            "+ p5en.48xlarge",
            "updated: NodeGroup nodes",
            "@@ launchTemplate.version (rolls nodes) @@",
            "- (known after the update)",
            "+ (known after the update)",
        ],
    ),
    "another tag of the launch template rolls no node": (
        with_values(_TEMPLATE, {"tags": {"team": "a"}}),
        _SUBNET,
        ["updated: LaunchTemplate template", "@@ tags @@", '+ {"team": "a"}'],
    ),
    "another launch template replaces the group": (
        _OTHERS_TEMPLATE,
        _SUBNET,
        [
            "replaced: LaunchTemplate template",
            "@@ name (replaces) @@",
            "- nodes",
            "+ others",
            "replaced: NodeGroup nodes",
            "@@ launchTemplate.id (replaces) @@",
            "- (known after the update)",
            "+ (known after the update)",
            "@@ launchTemplate.version (rolls nodes) @@",
            "- (known after the update)",
            "+ (known after the update)",
        ],
    ),
    "a replaced subnet replaces what lies in it": (
        _TEMPLATE,
        with_values(_SUBNET, {"cidrBlock": "10.1.0.0/24"}),
        [
            "replaced: Subnet a",
            "@@ cidrBlock (replaces) @@",
            "- 10.0.0.0/24",
            "+ 10.1.0.0/24",
            "replaced: NodeGroup nodes",
            "@@ subnetIds (replaces) @@",
            "- (known after the update)",
            "+ (known after the update)",
        ],
    ),
    "another subnet is seen though its id is unknown on both sides": (
        _TEMPLATE,
        _OTHER_SUBNET,
        [
            "replaced: NodeGroup nodes",
            "@@ subnetIds (replaces) @@",
            "- an output of a",
            "+ an output of b",
            "deleted: Subnet a",
            "created: Subnet b",
        ],
    ),
}


@pytest.mark.parametrize("case", _NODE_GROUPS)
def test_a_node_group_follows_its_template_and_subnet(case: str) -> None:
    template, subnet, words = _NODE_GROUPS[case]
    assert said(_with_group(_TEMPLATE, _SUBNET), _with_group(template, subnet)) == words


def test_a_default_tag_of_the_provider_comes_to_all_that_bears_tags_and_rolls_no_node() -> None:
    old, new = (
        resource("pulumi:providers:aws", "account", {"defaultTags": json.dumps({"tags": tags})})
        for tags in ({}, {"team": "a"})
    )
    tagged = resource("aws:ec2/routeTable:RouteTable", "table", {"tags": {"team": "b"}})
    untagged = resource("aws:ec2/route:Route", "route", {})
    parts = [_TEMPLATE, tagged, untagged, _group(_TEMPLATE, _SUBNET)]
    rest = [replace(each, provider=new.urn) for each in parts]
    assert said([old, *rest], [new, *rest]) == [
        "updated: aws account",
        "@@ defaultTags.tags.team @@",
        "+ a",
        "updated: LaunchTemplate template",
        "@@ tagsAll.team @@",
        "+ a",
        "updated: NodeGroup nodes",
        "@@ tagsAll.team @@",
        "+ a",
    ]


def test_a_value_that_is_known_does_not_change_with_what_it_was_taken_from() -> None:
    reader = replace(
        resource("aws:autoscaling/schedule:Schedule", "opens", {"autoscalingGroupName": "nodes"}),
        property_dependencies={"autoscalingGroupName": frozenset({_TEMPLATE.urn})},
    )
    alone = said([_TEMPLATE], [_OTHERS_TEMPLATE])
    assert said([_TEMPLATE, reader], [_OTHERS_TEMPLATE, reader]) == alone != []
