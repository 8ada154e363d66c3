"""The provider's own inputs, some also settable by an environment variable; the input wins."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Input -> variable, of those that are true or false.
_FLAGS = {
    "deleteUnreachable": "PULUMI_K8S_DELETE_UNREACHABLE",
    "enablePatchForce": "PULUMI_K8S_ENABLE_PATCH_FORCE",
    "upsertExistingObjects": "PULUMI_K8S_UPSERT_EXISTING_OBJECTS",
}
# Of these the stand-in does what they are without: it works by server-side apply, and renders no YAML.
_NOT_SERVED = (
    *("skipUpdateUnreachable", "renderYamlToDirectory", "alwaysRender", "kubeClientSettings"),
    *("helmReleaseSettings", "enableConfigMapMutable", "enableSecretMutable", "cluster"),
)
_SERVER_SIDE_APPLY = "enableServerSideApply"
KNOWN_INPUTS = frozenset(
    {
        *("kubeconfig", "context", "clusterIdentifier", "namespace"),
        *_FLAGS,
        *_NOT_SERVED,
        *(_SERVER_SIDE_APPLY, "suppressDeprecationWarnings", "suppressHelmHookWarnings"),
        # The engine's own.
        *("version", "pluginDownloadURL", "internal"),
    }
)


@dataclass(frozen=True)
class Settings:
    """What a configured provider does beyond its defaults."""

    kubeconfig: str | None
    context: str | None
    namespace: str | None
    flags: frozenset[str]
    """Inputs that are true."""

    @classmethod
    def from_inputs(cls, inputs: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads inputs as the engine sends them: booleans arrive as JSON text."""
        given = {name: inputs.get(name, environment.get(variable)) for name, variable in _FLAGS.items()}
        named = (inputs.get(name) or None for name in ("kubeconfig", "context", "namespace"))
        return cls(*named, flags=frozenset(name for name, value in given.items() if value in (True, "true")))


def refusals(inputs: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> list[tuple[str, str]]:
    """(input, reason) for each input that does not exist or that this stand-in does not serve."""
    found = [
        (name, f"unknown provider input {name!r}; known are {', '.join(sorted(KNOWN_INPUTS))}")
        for name in sorted(set(inputs) - KNOWN_INPUTS)
    ]
    found += [(name, f"this stand-in does not serve {name}") for name in _NOT_SERVED if name in inputs]
    variable = environment.get("PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY", "true")
    if inputs.get(_SERVER_SIDE_APPLY, variable) in (False, "false"):
        found.append((_SERVER_SIDE_APPLY, "this stand-in works by server-side apply only"))
    return found
