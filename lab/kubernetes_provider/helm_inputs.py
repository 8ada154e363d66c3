"""The inputs of a Helm Release as plain data, with defaults, and as arguments of the helm command."""

from __future__ import annotations

from typing import Any

_DEFAULT_TIMEOUT_SECONDS = 300

NOT_SERVED = (
    *(
        "allowNullValues",
        "atomic",
        "cleanupOnFail",
        "createNamespace",
        "skipAwait",
        "dependencyUpdate",
        "description",
        "devel",
        "disableCRDHooks",
    ),
    *("disableOpenapiValidation", "disableWebhooks", "forceUpdate", "keyring", "lint", "maxHistory"),
    *("postrender", "recreatePods", "renderSubchartNotes", "replace", "resetValues", "reuseValues"),
    *("valueYamlFiles", "verify", "waitForJobs"),
)
"""Inputs of the vendor's that this stand-in leaves to it."""
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
    """The inputs with name, namespace and timeout filled in, and every flag written out.

    Only maxHistory and repositoryOpts stay away where nobody gave them.
    """
    set_inputs = {key: value for key, value in given.items() if key not in _NOT_INPUTS and value is not None}
    inputs = {**_UNSET, **set_inputs}
    inputs["name"] = inputs.get("name") or name
    inputs["namespace"] = inputs.get("namespace") or namespace
    if isinstance(inputs.get("repositoryOpts"), dict):
        inputs["repositoryOpts"] = {**_UNSET_REPOSITORY, **inputs["repositoryOpts"]}
    if "timeout" not in given:
        inputs["timeout"] = _DEFAULT_TIMEOUT_SECONDS
    return inputs


def install_arguments(inputs: dict[str, Any]) -> list[str]:
    """Flags of `helm install`, without values."""
    return [*(["--skip-crds"] if inputs.get("skipCrds") else []), *wait_arguments(inputs)]


def upgrade_arguments(inputs: dict[str, Any]) -> list[str]:
    """Flags of `helm upgrade`, without values and without a limit of revisions."""
    return ["--history-max", "0", *wait_arguments(inputs)]


def wait_arguments(inputs: dict[str, Any]) -> list[str]:
    """Flags of each of helm's commands, and of `helm uninstall` the only ones."""
    return ["--wait", "--timeout", f"{inputs.get('timeout') or _DEFAULT_TIMEOUT_SECONDS}s"]
