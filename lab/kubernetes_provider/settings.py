"""The provider's own inputs, each also settable by an environment variable; the input wins."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

KNOWN_INPUTS = frozenset(
    {
        "kubeconfig",
        "context",
        "cluster",
        "clusterIdentifier",
        "namespace",
        "deleteUnreachable",
        "skipUpdateUnreachable",
        "enableServerSideApply",
        "enablePatchForce",
        "upsertExistingObjects",
        "enableConfigMapMutable",
        "enableSecretMutable",
        "renderYamlToDirectory",
        "alwaysRender",
        "suppressDeprecationWarnings",
        "suppressHelmHookWarnings",
        "kubeClientSettings",
        "helmReleaseSettings",
        # The engine's own.
        "version",
        "pluginDownloadURL",
        "internal",
    }
)


@dataclass(frozen=True)
class Settings:
    """What a configured provider does beyond its defaults."""

    kubeconfig: str | None = None
    context: str | None = None
    cluster: str | None = None
    namespace: str | None = None
    delete_unreachable: bool = False
    skip_update_unreachable: bool = False
    enable_patch_force: bool = False
    upsert_existing_objects: bool = False
    enable_config_map_mutable: bool = False
    enable_secret_mutable: bool = False
    request_timeout_seconds: float | None = None
    await_all: bool = False

    @classmethod
    def from_inputs(cls, inputs: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
        """Reads inputs as the engine sends them: booleans and objects arrive as JSON text."""
        given = os.environ if environment is None else environment

        def flag(name: str, variable: str) -> bool:
            value = inputs.get(name)
            if value is None:
                return given.get(f"PULUMI_K8S_{variable}", "") == "true"
            return value is True or value == "true"

        return cls(
            kubeconfig=inputs.get("kubeconfig") or None,
            context=inputs.get("context") or None,
            cluster=inputs.get("cluster") or None,
            namespace=inputs.get("namespace") or None,
            delete_unreachable=flag("deleteUnreachable", "DELETE_UNREACHABLE"),
            skip_update_unreachable=flag("skipUpdateUnreachable", "SKIP_UPDATE_UNREACHABLE"),
            enable_patch_force=flag("enablePatchForce", "ENABLE_PATCH_FORCE"),
            upsert_existing_objects=flag("upsertExistingObjects", "UPSERT_EXISTING_OBJECTS"),
            enable_config_map_mutable=flag("enableConfigMapMutable", "ENABLE_CONFIGMAP_MUTABLE"),
            enable_secret_mutable=flag("enableSecretMutable", "ENABLE_SECRET_MUTABLE"),
            request_timeout_seconds=_timeout(inputs.get("kubeClientSettings"), given),
            await_all=given.get("PULUMI_K8S_AWAIT_ALL", "") == "true",
        )


def refusals(
    inputs: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """(input, reason) for each input that does not exist or that this stand-in does not serve."""
    given = os.environ if environment is None else environment
    found = [
        (name, f"unknown provider input {name!r}; known are {', '.join(sorted(KNOWN_INPUTS))}")
        for name in sorted(set(inputs) - KNOWN_INPUTS)
    ]
    server_side_apply = inputs.get(
        "enableServerSideApply", given.get("PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY", "true")
    )
    if server_side_apply in (False, "false"):
        found.append(("enableServerSideApply", "this stand-in works by server-side apply only"))
    rendering = {"renderYamlToDirectory", "alwaysRender"} & set(inputs)
    found += [(name, "this stand-in does not render YAML") for name in sorted(rendering)]
    return found


def _timeout(client_settings: Any, environment: Mapping[str, str]) -> float | None:
    parsed = json.loads(client_settings) if isinstance(client_settings, str) else client_settings
    value = (parsed or {}).get("timeout") or environment.get("PULUMI_K8S_CLIENT_TIMEOUT")
    return float(value) if value else None
