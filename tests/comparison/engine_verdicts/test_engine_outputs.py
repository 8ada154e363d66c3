"""Inputs that only the update knows: what they are made of tells whether they become others."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from comparison.changes import Operation
from comparison.resources import compare
from resource_graph import UNKNOWN
from tests.comparison.resources_of_tests import effects, resource, said


def _template(instance_type: str, name: str = "nodes") -> Any:
    return resource(
        "aws:ec2/launchTemplate:LaunchTemplate", "template", {"instanceType": instance_type, "name": name}
    )


def _subnet(name: str, cidr: str = "10.0.0.0/24") -> Any:
    return resource("aws:ec2/subnet:Subnet", name, {"cidrBlock": cidr})


def _group(template: Any, *subnets: Any) -> Any:
    group = resource(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        {"launchTemplate": {"id": UNKNOWN, "version": UNKNOWN}, "subnetIds": [UNKNOWN] * len(subnets)},
    )
    reads = {
        "launchTemplate": frozenset({template.urn}),
        "subnetIds": frozenset(each.urn for each in subnets),
    }
    return replace(group, property_dependencies=reads)


def test_another_content_of_the_launch_template_rolls_the_nodes() -> None:
    subnet = _subnet("a")
    old, new = _template("p5.48xlarge"), _template("p5en.48xlarge")
    template, group = compare([old, subnet, _group(old, subnet)], [new, subnet, _group(new, subnet)])
    assert effects(template) == {"instanceType": "in place"}
    assert (group.operation, effects(group)) == (
        Operation.UPDATE,
        {"launchTemplate version": "rolls nodes"},
    )
    assert group.reasons == ("EKS drains the group's nodes and replaces them.",)


def test_another_tag_of_the_launch_template_rolls_no_node() -> None:
    subnet, old = _subnet("a"), _template("p5.48xlarge")
    new = replace(old, inputs={**old.inputs, "tags": {"team": "a"}})
    found = compare([old, subnet, _group(old, subnet)], [new, subnet, _group(new, subnet)])
    assert [each.title for each in found] == ["LaunchTemplate template"]


def _provider(**tags: str) -> Any:
    return resource("pulumi:providers:aws", "account", {"defaultTags": json.dumps({"tags": tags})})


def test_a_default_tag_of_the_provider_comes_to_all_that_bears_tags_and_rolls_no_node() -> None:
    old, new = _provider(), _provider(team="a")
    template = replace(_template("p5.48xlarge"), provider=new.urn)
    table = replace(
        resource("aws:ec2/routeTable:RouteTable", "table", {"tags": {"team": "b"}}), provider=new.urn
    )
    route = replace(resource("aws:ec2/route:Route", "route", {}), provider=new.urn)
    group = replace(_group(template), provider=new.urn)
    rest = [template, table, route, group]
    found = {each.title: said(each.fields) for each in compare([old, *rest], [new, *rest])}
    assert found == {
        "aws account": ["defaultTags tags team: None -> 'a'"],
        "LaunchTemplate template": ["tagsAll team: None -> 'a'"],
        "NodeGroup nodes": ["tagsAll team: None -> 'a'"],
    }


def test_another_launch_template_replaces_the_group() -> None:
    subnet = _subnet("a")
    old, new = _template("p5.48xlarge"), _template("p5.48xlarge", "others")
    found = compare([old, subnet, _group(old, subnet)], [new, subnet, _group(new, subnet)])
    assert [(each.title, each.operation) for each in found] == [
        ("LaunchTemplate template", Operation.REPLACE),
        ("NodeGroup nodes", Operation.REPLACE),
    ]
    assert effects(found[1]) == {"launchTemplate id": "replaces", "launchTemplate version": "rolls nodes"}


def test_a_replaced_subnet_replaces_what_lies_in_it() -> None:
    template, old, new = _template("p5.48xlarge"), _subnet("a"), _subnet("a", "10.1.0.0/24")
    found = compare([template, old, _group(template, old)], [template, new, _group(template, new)])
    assert [each.operation for each in found] == [Operation.REPLACE, Operation.REPLACE]


def test_another_subnet_is_seen_though_its_id_is_unknown_on_both_sides() -> None:
    template, old, new = _template("p5.48xlarge"), _subnet("a"), _subnet("b")
    found = compare([template, old, _group(template, old)], [template, new, _group(template, new)])
    group = next(each for each in found if each.title == "NodeGroup nodes")
    assert group.operation is Operation.REPLACE
    assert said(group.fields) == ["subnetIds: 'an output of a' -> 'an output of b'"]


def test_a_value_that_is_known_does_not_change_with_what_it_was_taken_from() -> None:
    old, new = _template("p5.48xlarge"), _template("p5.48xlarge", "others")
    reader = resource("aws:autoscaling/schedule:Schedule", "opens", {"autoscalingGroupName": "nodes"})
    reads = {"autoscalingGroupName": frozenset({old.urn})}
    reader = replace(reader, property_dependencies=reads)
    assert [each.title for each in compare([old, reader], [new, reader])] == ["LaunchTemplate template"]
