"""The inputs of a Helm Release as plain data, with defaults, and as arguments of the helm command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi
import yaml

from lab.kubernetes_provider.values import contains_unknown

_DEFAULT_TIMEOUT_SECONDS = 300

# Release input -> helm flag, for inputs that are true or false.
_INSTALL_FLAGS = {
    "atomic": "--atomic",
    "replace": "--replace",
    "skipCrds": "--skip-crds",
    "createNamespace": "--create-namespace",
    "disableWebhooks": "--no-hooks",
    "disableOpenapiValidation": "--disable-openapi-validation",
    "dependencyUpdate": "--dependency-update",
    "devel": "--devel",
    "renderSubchartNotes": "--render-subchart-notes",
    "verify": "--verify",
}
_UPGRADE_FLAGS = {
    "atomic": "--atomic",
    "cleanupOnFail": "--cleanup-on-fail",
    "forceUpdate": "--force",
    "resetValues": "--reset-values",
    "reuseValues": "--reuse-values",
    "disableCRDHooks": "--no-hooks",
    "devel": "--devel",
    "dependencyUpdate": "--dependency-update",
    "renderSubchartNotes": "--render-subchart-notes",
}
# Only outputs, though the class takes them; or, like compat, nothing but a mark of the SDK.
_NOT_INPUTS = ("compat", "resourceNames", "status", "manifest", "checksum")
# The vendor's Check decodes the inputs into a struct and writes every field of it back, those that nobody
# set too (pulumi-kubernetes provider/pkg/provider/helm_release.go, Release and RepositoryOpts).
_UNSET: dict[str, Any] = {
    **dict.fromkeys(
        (
            *("allowNullValues", "atomic", "cleanupOnFail", "createNamespace", "dependencyUpdate", "devel"),
            *("disableCRDHooks", "disableOpenapiValidation", "disableWebhooks", "forceUpdate", "lint"),
            *("recreatePods", "renderSubchartNotes", "replace", "resetValues", "reuseValues", "skipAwait"),
            *("skipCrds", "verify", "waitForJobs"),
        ),
        False,
    ),
    **dict.fromkeys(("chart", "description", "keyring", "postrender", "version"), ""),
    "timeout": 0,
    "values": {},
}
_UNSET_REPOSITORY = dict.fromkeys(("repo", "caFile", "certFile", "keyFile", "password", "username"), "")


def with_defaults(given: dict[str, Any], name: str, namespace: str) -> dict[str, Any]:
    """The inputs with name, namespace and timeout filled in, value files merged, and every flag written out.

    Only maxHistory and repositoryOpts stay away where nobody gave them.
    """
    set_inputs = {key: value for key, value in given.items() if key not in _NOT_INPUTS and value is not None}
    inputs = {**_UNSET, **set_inputs}
    inputs["name"] = inputs.get("name") or name
    inputs["namespace"] = inputs.get("namespace") or namespace
    if isinstance(inputs.get("repositoryOpts"), dict):
        inputs["repositoryOpts"] = {**_UNSET_REPOSITORY, **inputs["repositoryOpts"]}
    if not inputs["skipAwait"] and "timeout" not in given:
        inputs["timeout"] = _DEFAULT_TIMEOUT_SECONDS
    if not contains_unknown(inputs):
        files = inputs.pop("valueYamlFiles", [])
        merged: dict[str, Any] = {}
        for asset in files:
            merged = _merged(merged, yaml.safe_load(_text_of(asset)) or {})
        inputs["values"] = _merged(merged, inputs.get("values") or {})
    return inputs


def repository_of(inputs: dict[str, Any]) -> str:
    """The chart repository's URL, empty when there is none."""
    return (inputs.get("repositoryOpts") or {}).get("repo") or ""


def install_arguments(inputs: dict[str, Any]) -> list[str]:
    """Flags of `helm install`, without values."""
    return [*_flags(inputs, _INSTALL_FLAGS), *_common(inputs)]


def upgrade_arguments(inputs: dict[str, Any]) -> list[str]:
    """Flags of `helm upgrade`, without values. No limit of revisions unless one is given."""
    history = ["--history-max", str(inputs.get("maxHistory", 0))]
    return [*_flags(inputs, _UPGRADE_FLAGS), *history, *_common(inputs)]


def uninstall_arguments(inputs: dict[str, Any]) -> list[str]:
    """Flags of `helm uninstall`: it waits unless the release was told not to."""
    if inputs.get("skipAwait") and not inputs.get("atomic"):
        return []
    return ["--wait", "--timeout", _timeout(inputs)]


def _common(inputs: dict[str, Any]) -> list[str]:
    arguments = ["--timeout", _timeout(inputs)]
    if not inputs.get("skipAwait"):
        arguments.append("--wait")
        arguments += ["--wait-for-jobs"] if inputs.get("waitForJobs") else []
    if inputs.get("description"):
        arguments += ["--description", inputs["description"]]
    if inputs.get("postrender"):
        arguments += ["--post-renderer", inputs["postrender"]]
    if inputs.get("keyring"):
        arguments += ["--keyring", inputs["keyring"]]
    return arguments


def _flags(inputs: dict[str, Any], table: dict[str, str]) -> list[str]:
    return [flag for name, flag in table.items() if inputs.get(name) is True]


def _timeout(inputs: dict[str, Any]) -> str:
    return f"{inputs.get('timeout') or _DEFAULT_TIMEOUT_SECONDS}s"


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for key, value in other.items():
        both = isinstance(result.get(key), dict) and isinstance(value, dict)
        result[key] = _merged(result[key], value) if both else value
    return result


def _text_of(asset: Any) -> str:
    if isinstance(asset, pulumi.StringAsset):
        return asset.text
    if isinstance(asset, pulumi.FileAsset):
        return Path(asset.path).read_text(encoding="utf-8")
    raise ValueError("unsupported type for 'valueYamlFiles' arg: only files and strings can be read here")
