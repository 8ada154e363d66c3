"""The line of a stack's file that is said to make a resource, a finding or a setting."""

from __future__ import annotations

import pytest
import yaml

from comparison.stack_lines import StackLines
from resource_graph import Resource
from tests.support.dev_settings import disagg_b200_settings, resolved

SETTINGS = disagg_b200_settings()
TEXT = "# of the tests\n" + yaml.safe_dump({"config": {"dynamo-stack:settings": SETTINGS}}, sort_keys=False)
LINES = TEXT.splitlines()


def text_of(line: int) -> str:
    return LINES[line - 1].strip()


def lines() -> StackLines:
    return StackLines(resolved(SETTINGS), TEXT)


def resource(resource_type: str, name: str = "thing") -> Resource:
    return Resource(urn=f"urn::{name}", type=resource_type, name=name, inputs={})


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("platform.nats.members", "members: 3"),
        ("nodePools[0].instanceType", "instanceType: p6-b200.48xlarge"),
        ("nodePools[0].zone", "- name: b200"),
        ("serving.namespace.kind", "namespace: gpt-oss"),
        ("layers", "dynamo-stack:settings:"),
        ("", "dynamo-stack:settings:"),
    ],
)
def test_a_setting_is_at_its_line_or_at_that_of_the_nearest_around_it(key: str, text: str) -> None:
    assert text_of(lines().of_setting(key)) == text


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (resource("kubernetes:core/v1:PersistentVolumeClaim"), "modelCache:"),
        (resource("kubernetes:helm.sh/v3:Release"), "version: 1.2.1"),
        (resource("aws:eks/nodeGroup:NodeGroup", "b200-nodes"), "- name: b200"),
        (resource("some:other:Thing"), "recipe: gpt-oss-120b/trtllm-disagg"),
    ],
)
def test_a_resource_is_at_the_setting_that_makes_it_as_it_is(made: Resource, text: str) -> None:
    assert text_of(lines().of_resource(made)) == text
