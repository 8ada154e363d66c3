"""Every entry against the SDK's classes and AWS's service models."""

import importlib
import inspect
import re
from importlib.metadata import version
from typing import Any

import pytest

from lab.aws_provider import PLUGIN_VERSION
from lab.aws_provider.catalogue import TYPES
from lab.aws_provider.mapping import mapped, place_of
from lab.aws_provider.resource_type import BUILT, NOT_SERVED, PROVIDERS_OWN, ResourceType

_KINDS = pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: kind.pulumi_type)


def _sdk_class(kind: ResourceType) -> Any:
    module, _, name = kind.pulumi_type.removeprefix("aws:").partition("/")
    return getattr(importlib.import_module(f"pulumi_aws.{module}"), name.partition(":")[2])


def _sdk_arguments(kind: ResourceType) -> set[str]:
    made = _sdk_class(kind)
    arguments = getattr(importlib.import_module(made.__module__), f"{made.__name__}Args")
    properties = inspect.getmembers(arguments, lambda member: isinstance(member, property))
    return {value.fget._pulumi_name for _, value in properties}


@_KINDS
def test_the_sdk_has_the_type_and_each_of_its_inputs(kind: ResourceType) -> None:
    constructor = inspect.getsource(_sdk_class(kind)._internal_init)
    assert re.search(rf"['\"]{re.escape(kind.pulumi_type)}['\"]", constructor)
    common = {"tags"} if kind.tagging else set()
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
        assert not entry.update or entry.update in {*kind.updates, NOT_SERVED, PROVIDERS_OWN}, name
        if entry.create not in {None, BUILT}:
            assert place_of(kind, name), name
    assert set(kind.identity) <= set(kind.inputs)
    assert not kind.name or kind.name in kind.inputs


def test_text_that_the_sdk_sends_for_booleans_and_numbers_becomes_what_ec2_takes() -> None:
    template = TYPES["aws:ec2/launchTemplate:LaunchTemplate"]
    interfaces = [{"deleteOnTermination": "true", "securityGroups": ["sg-1"], "networkCardIndex": 1}]
    request = mapped(template, {"networkInterfaces": interfaces, "userData": ""})
    assert request["LaunchTemplateData"] == {
        "NetworkInterfaces": [{"DeleteOnTermination": True, "Groups": ["sg-1"], "NetworkCardIndex": 1}],
    }


def test_the_plugin_has_the_version_that_the_sdk_asks_for() -> None:
    assert version("pulumi-aws") == PLUGIN_VERSION
