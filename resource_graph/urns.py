"""Pulumi's resource names (URNs), built and taken apart as the engine does."""

STACK_TYPE = "pulumi:pulumi:Stack"
KUBERNETES = "kubernetes:"
"""What the type of everything in a cluster begins with."""
RELEASE_TYPE = "kubernetes:helm.sh/v3:Release"

_PREFIX = "urn:pulumi:"
_PARTS = 4


def make_urn(*, stack: str, project: str, parent: str | None, resource_type: str, name: str) -> str:
    """The URN that the engine gives a resource.

    The types of all parents except the stack stand before its own (pulumi/pulumi
    sdk/go/common/resource/urn/urn.go); the SDK's mock monitor keeps only the nearest one.
    """
    parent_type = "" if parent is None else qualified_type(parent)
    chain = resource_type if parent_type in {"", STACK_TYPE} else f"{parent_type}${resource_type}"
    return f"{_PREFIX}{stack}::{project}::{chain}::{name}"


def qualified_type(urn: str) -> str:
    """The chain of types in a URN, outermost parent first."""
    parts = urn.split("::", _PARTS - 1)
    if not urn.startswith(_PREFIX) or len(parts) != _PARTS:
        raise ValueError(f"not a Pulumi URN: {urn!r}")
    return parts[2]


def own_type(urn: str) -> str:
    """The type of the resource itself, without its parents'."""
    return qualified_type(urn).rpartition("$")[2]


def urn_name(urn: str) -> str:
    """The logical name in the program."""
    return urn.split("::", _PARTS - 1)[-1]


def stack_and_project(urn: str) -> tuple[str, str]:
    """The names of the stack and of the project that the resource is of."""
    stack, project, *_ = urn.removeprefix(_PREFIX).split("::")
    return stack, project


def provider_urn(reference: str) -> str | None:
    """The URN in a provider reference, which is `<urn>::<id>`; None for an empty one."""
    return reference.rpartition("::")[0] or None
