"""Inputs of AWS resources: keys that the SDK's own classes have, and what no role may be."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import pytest
from pulumi._types import input_type_types, is_input_type

from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.eks_settings_of_every_kind import eks_settings_of_every_kind
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from resource_graph import Resource

ROLE = "aws:iam/role:Role"
BOUNDARY = "arn:aws:iam::123456789012:policy/team/boundary"


def adopting_settings() -> dict[str, Any]:
    settings = eks_b200_settings()
    subnets = {
        settings["nodePools"][0]["zone"]: "subnet-0123456789abcdef0",
        "us-east-1f": "subnet-1123456789",
    }
    settings["cluster"] |= {
        "network": {"kind": "existing", "vpcId": "vpc-0123456789abcdef0", "subnets": subnets},
    }
    return settings


def every_kind_settings() -> dict[str, Any]:
    settings = eks_settings_of_every_kind()
    settings["cluster"]["roles"] = {"path": "/team/", "permissionsBoundary": BOUNDARY}
    return settings


STACKS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "b200": eks_b200_settings,
    "gb200": eks_gb200_settings,
    "every kind, own roles": every_kind_settings,
    "adopted network": adopting_settings,
}


def of_the_account(name: str) -> list[Resource]:
    return [each for each in recorded_stack(resolved(STACKS[name]())) if each.type.startswith("aws:")]


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


def test_roles_have_the_path_and_the_boundary_that_are_typed_and_none_else() -> None:
    typed, plain = (
        [each.inputs for each in of_the_account(name) if each.type == ROLE]
        for name in ("every kind, own roles", "b200")
    )
    assert len(typed) >= 5
    assert {(each["path"], each["permissionsBoundary"]) for each in typed} == {("/team/", BOUNDARY)}
    assert not [each for each in plain if {"path", "permissionsBoundary"} & each.keys()]


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
