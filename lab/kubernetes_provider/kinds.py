"""The kinds that the SDK has classes for, read from the SDK's own source.

The vendor's plugin has the same list from its schema. Reading the wheel's file (not importing it, which takes
half a second) keeps this plugin equal to the SDK that the program uses.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import re
from pathlib import Path

from lab.kubernetes_provider.errors import ProviderError

RELEASE = "kubernetes:helm.sh/v3:Release"

_REGISTRATION = re.compile(r'resource_modules="""\s*(\[.*?\])\s*"""', re.DOTALL)

# These run inside the plugin for the program's other languages; Python's SDK has its own of each.
_COMPONENT_GROUPS = ("yaml", "yaml/v2", "kustomize", "kustomize/v2", "helm.sh/v3", "helm.sh/v4")


class UnknownTypeError(ProviderError):
    """No such resource type, or one that this stand-in does not serve."""


def api_version_and_kind(token: str) -> tuple[str, str]:
    """`kubernetes:apps/v1:Deployment` -> ("apps/v1", "Deployment"). Raises UnknownTypeError."""
    package, _, rest = token.partition(":")
    group_version, _, kind = rest.rpartition(":")
    group, _, version = group_version.partition("/")
    if package != "kubernetes" or not kind or not version:
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
def _typed_tokens() -> frozenset[str]:
    spec = importlib.util.find_spec("pulumi_kubernetes")
    assert spec is not None
    assert spec.origin is not None
    found = _REGISTRATION.search(Path(spec.origin).read_text())
    assert found is not None
    return frozenset(token for module in json.loads(found.group(1)) for token in module["classes"])


@functools.cache
def _typed_group_versions() -> frozenset[str]:
    return frozenset(token.split(":")[1] for token in _typed_tokens())
