"""The kinds that the SDK has classes for, and the inputs of each, read from the SDK's own source.

The vendor's plugin has the same list from its schema. Reading the wheel's files (not importing them,
which takes half a second) keeps this plugin equal to the SDK that the program uses.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import re
from pathlib import Path

PACKAGE = "kubernetes"
RELEASE = "kubernetes:helm.sh/v3:Release"

_REGISTRATION = re.compile(r'resource_modules="""\s*(\[.*?\])\s*"""', re.DOTALL)
_ARGUMENT_CLASS = re.compile(
    r"^class (\w+)(?:Init)?Args\b.*?(?=^@pulumi\.type_token|\Z)", re.DOTALL | re.MULTILINE
)
_GETTER = re.compile(r'@pulumi\.getter(?:\(name="(\w+)"\))?\s+def (\w+)\(self\)')

# These run inside the plugin for the program's other languages; Python's SDK has its own of each.
_COMPONENT_GROUPS = ("yaml", "yaml/v2", "kustomize", "kustomize/v2", "helm.sh/v3", "helm.sh/v4")


class UnknownTypeError(Exception):
    """No such resource type, or one that this stand-in does not serve."""


def api_version_and_kind(token: str) -> tuple[str, str]:
    """`kubernetes:apps/v1:Deployment` -> ("apps/v1", "Deployment"). Raises UnknownTypeError."""
    package, _, rest = token.partition(":")
    group_version, _, kind = rest.rpartition(":")
    group, _, version = group_version.partition("/")
    if package != PACKAGE or not kind or not version:
        raise UnknownTypeError(f'unrecognized resource type: "{token}" for this provider')
    return (version if group == "core" else group_version), kind


def require_served(token: str) -> None:
    """Raises UnknownTypeError for a token that neither the SDK's classes nor a custom resource can have."""
    if token == RELEASE:
        return
    api_version, kind = api_version_and_kind(token)
    if api_version in _COMPONENT_GROUPS or (kind.endswith("Patch") and token in _typed_tokens()):
        raise UnknownTypeError(f'this stand-in does not serve "{token}"')
    if token not in _typed_tokens() and is_known_group_version(api_version):
        raise UnknownTypeError(f'unrecognized resource type: "{token}" for this provider')


def is_known_group_version(api_version: str) -> bool:
    """Whether the SDK has classes of this group and version."""
    return (api_version if "/" in api_version else f"core/{api_version}") in _typed_group_versions()


@functools.cache
def input_properties(token: str) -> frozenset[str] | None:
    """The top-level inputs of a typed kind, None for a custom resource (anything goes there)."""
    module = _typed_tokens().get(token)
    if module is None:
        return None
    path = _package_folder().parent.joinpath(*module.split(".")).with_suffix(".py")
    found = _ARGUMENT_CLASS.search(path.read_text())
    if found is None:
        raise UnknownTypeError(f"the inputs in {path.name} cannot be read")
    return frozenset(given or snake for given, snake in _GETTER.findall(found.group(0)))


@functools.cache
def _package_folder() -> Path:
    spec = importlib.util.find_spec("pulumi_kubernetes")
    if spec is None or spec.origin is None:
        raise UnknownTypeError("the package pulumi_kubernetes is not installed beside this stand-in")
    return Path(spec.origin).parent


@functools.cache
def _typed_tokens() -> dict[str, str]:
    found = _REGISTRATION.search((_package_folder() / "__init__.py").read_text())
    if found is None:
        raise UnknownTypeError("the list of resource types in pulumi_kubernetes/__init__.py cannot be read")
    return {
        token: f"{module['fqn']}.{name}"
        for module in json.loads(found.group(1))
        for token, name in module["classes"].items()
    }


@functools.cache
def _typed_group_versions() -> frozenset[str]:
    return frozenset(token.split(":")[1] for token in _typed_tokens())
