"""Inputs of AWS resources: keys that the SDK's own classes have, and policies that are on a list."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import pytest
from pulumi._types import input_type_types, is_input_type

from tests.components.recorded import recorded
from tests.support.eks_settings import eks_b200_settings
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind
from tests.support.shipped_stacks import shipped_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from resource_graph import Resource

ROLE = "aws:iam/role:Role"
BOUNDARY = "arn:aws:iam::123456789012:policy/team/boundary"


def adopted_network_settings() -> dict[str, Any]:
    settings = eks_b200_settings()
    subnets = {
        settings["nodePools"][0]["zone"]: "subnet-0123456789abcdef0",
        "us-east-1f": "subnet-1123456789",
    }
    settings["cluster"] |= {
        "network": {"kind": "existing", "vpcId": "vpc-0123456789abcdef0", "subnets": subnets}
    }
    return settings


STACKS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "disagg-b200-tcp": lambda: shipped_settings("disagg-b200-tcp"),
    "disagg-gb200-two-trays": lambda: shipped_settings("disagg-gb200-two-trays"),
    "every kind": eks_settings_of_every_kind,
    "adopted network": adopted_network_settings,
}


def of_the_account(name: str) -> list[Resource]:
    return [each for each in recorded(STACKS[name]()) if each.type.startswith("aws:")]


@pytest.mark.parametrize("name", STACKS)
def test_the_sdk_has_a_class_for_every_resource_and_knows_every_key_of_its_inputs(name: str) -> None:
    resources = of_the_account(name)
    assert len(resources) > 20
    unknown = {
        resource.name: keys
        for resource in resources
        if (keys := list(unknown_keys(arguments_of(resource.type), resource.inputs, "")))
    }
    assert unknown == {}


def test_a_key_that_no_class_of_the_sdk_has_is_seen_at_any_depth() -> None:
    template = arguments_of("aws:ec2/launchTemplate:LaunchTemplate")
    inputs = {
        "imageID": "ami-1",
        "metadataOptions": {"http_tokens": "required"},
        "networkInterfaces": [{"deviceIndex": 0}, {"subnet": "subnet-1"}],
        "tags": {"any": "key"},
    }
    assert list(unknown_keys(template, inputs, "")) == [
        ".imageID",
        ".metadataOptions.http_tokens",
        ".networkInterfaces[1].subnet",
    ]


@cache
def arguments_of(token: str) -> Any:
    """The SDK's class of arguments of a resource type, such as aws:ec2/vpc:Vpc."""
    module, _, rest = token.removeprefix("aws:").partition("/")
    name = rest.partition(":")[2]
    resource = getattr(importlib.import_module(f"pulumi_aws.{module}"), name)
    return getattr(importlib.import_module(resource.__module__), f"{name}Args")


def unknown_keys(arguments: Any, inputs: Mapping[str, Any], path: str) -> Iterator[str]:
    types = input_type_types(arguments)
    for key, value in inputs.items():
        if key not in types:
            yield f"{path}.{key}"
            continue
        nested = next(_input_types(types[key]), None)
        if nested is None:
            continue
        items = enumerate(value) if isinstance(value, list | tuple) else [(None, value)]
        for index, item in items:
            if hasattr(item, "items"):
                yield from unknown_keys(
                    nested, item, f"{path}.{key}" if index is None else f"{path}.{key}[{index}]"
                )


def _input_types(annotation: Any) -> Iterator[Any]:
    """Classes of arguments anywhere in an annotation; a mapping's keys are data."""
    if is_input_type(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from _input_types(part)


def test_every_role_has_the_path_and_the_boundary_that_are_typed() -> None:
    settings = eks_settings_of_every_kind()
    settings["cluster"]["roles"] = {"path": "/team/", "permissionsBoundary": BOUNDARY}
    roles = [each.inputs for each in recorded(settings).of_type(ROLE)]
    assert len(roles) >= 5
    assert {(each["path"], each["permissionsBoundary"]) for each in roles} == {("/team/", BOUNDARY)}


def test_no_role_has_a_path_or_boundary_that_nobody_typed() -> None:
    for each in of_the_account("every kind"):
        assert each.type != ROLE or not {"path", "permissionsBoundary"} & each.inputs.keys()


def test_no_role_may_do_everything_and_none_is_an_administrator() -> None:
    for name in STACKS:
        for resource in of_the_account(name):
            assert resource.type not in {"aws:iam/policyAttachment:PolicyAttachment", "aws:iam/user:User"}
            for text in texts_of(resource.inputs):
                assert '"Action": "*"' not in text
                assert '"Action": ["*"]' not in text


def texts_of(value: Any) -> Iterator[str]:
    """Every text in an input, at any depth."""
    if isinstance(value, str):
        yield value
    elif hasattr(value, "values"):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_of(item)
