"""kubernetes:helm.sh/v3:Release: one opaque resource, installed by the real helm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import helm_inputs
from lab.kubernetes_provider.checkpoint import INPUTS
from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.errors import Gone, InitializationError, ProviderError
from lab.kubernetes_provider.helm_charts import ChartError, locate
from lab.kubernetes_provider.helm_command import Helm, HelmError
from lab.kubernetes_provider.identity import namespace_and_name
from lab.kubernetes_provider.values import (
    UNKNOWN,
    Properties,
    contains_unknown,
    plain_map,
    to_properties,
    to_property,
    with_secrets_of,
)
from lab.provider_service.naming import name_of, unique_name

if TYPE_CHECKING:
    from pathlib import Path

    from lab.kubernetes_provider.check import Failure
    from lab.kubernetes_provider.session import Session
    from lab.provider_service.difference import Difference

_OUTPUTS = (INPUTS, "status", "resourceNames")


def check(
    session: Session, urn: str, old: Properties, new: Properties, seed: bytes
) -> tuple[Properties, list[Failure]]:
    """Names the release and, when all inputs are known, looks for its chart."""
    given = plain_map(new)
    failures = [
        (key, f"this stand-in does not serve {key}") for key in helm_inputs.NOT_SERVED if given.get(key)
    ]
    name = plain_map(old).get("name") or unique_name(name_of(urn), seed)
    inputs = helm_inputs.with_defaults(given, name, session.default_namespace)
    if not contains_unknown(inputs):
        try:
            _chart(inputs)
        except ChartError as error:
            failures.append(("chart", f"{error}; check the chart name and repository configuration."))
    return with_secrets_of(to_properties(inputs), new), failures


def diff(old_state: Properties, new: Properties, ignored: list[str]) -> Difference:
    """Old inputs against new ones; what runs in the cluster is not looked at."""
    old_inputs = plain_map(old_state).get(INPUTS) or {}
    return difference(old_inputs, plain_map(new), (".name", ".namespace"), ignored=ignored)


def create(session: Session, urn: str, properties: Properties, *, preview: bool) -> tuple[str, Properties]:
    """Installs. Raises InitializationError for a failed release that Helm has kept."""
    inputs = plain_map(properties)
    if preview:
        return "", _preview(inputs, properties)
    try:
        state = _run(session, "install", inputs, properties)
    except InitializationError as error:
        warning = (
            f'Helm release "{inputs["name"]}" was created but has a failed status. Use the `helm` command to '
            f"investigate the error, correct it, then retry. Reason: {error.__cause__}"
        )
        session.host.warning(urn, warning)
        raise
    return f"{inputs['namespace']}/{inputs['name']}", state


def update(session: Session, properties: Properties, *, preview: bool) -> Properties:
    """Upgrades. Raises InitializationError when Helm has recorded a failed revision."""
    inputs = plain_map(properties)
    return _preview(inputs, properties) if preview else _run(session, "upgrade", inputs, properties)


def read(session: Session, identifier: str, state: Properties) -> tuple[Properties, Properties]:
    """State and inputs of the release that Helm records. Raises Gone."""
    recorded, (namespace, name) = plain_map(state), namespace_and_name(identifier)
    name = recorded.get("name") or name
    namespace = recorded.get("namespace") or namespace or session.default_namespace
    helm = Helm(session, name, namespace)
    found = helm.find()
    if found is None:
        raise Gone
    values = helm.values()
    imported = {"chart": found["chart"], "values": values}
    inputs = recorded.get(INPUTS) or helm_inputs.with_defaults(imported, name, namespace)
    live = {**inputs, "version": found["version"]} | ({"values": values} if values else {})
    secrets_from = {key: value for key, value in state.items() if key not in _OUTPUTS}
    new_state = _record(helm, live, secrets_from, found)
    new_state[INPUTS] = to_property(inputs).with_secret(is_secret=True)
    return new_state, with_secrets_of(to_properties(live), secrets_from)


def delete(session: Session, state: Properties) -> None:
    """Uninstalls, and waits. A missing release is an error."""
    if session.connected is None:
        raise ProviderError(
            f'can\'t delete Helm Release with unreachable cluster. Reason: "{session.unreachable_reason}"'
        )
    recorded = plain_map(state)
    helm = Helm(session, recorded["name"], recorded["namespace"])
    helm.run("uninstall", recorded["name"], *helm_inputs.wait_arguments(recorded))


_FLAGS = {"install": helm_inputs.install_arguments, "upgrade": helm_inputs.upgrade_arguments}
_FAILED = {
    "install": "was created, but failed to initialize completely. Use Helm CLI to investigate: ",
    "upgrade": "failed to initialize completely. Use Helm CLI to investigate: error running update: ",
}


def _run(session: Session, command: str, inputs: dict[str, Any], properties: Properties) -> Properties:
    """Install or upgrade. Raises InitializationError where Helm has recorded a failed revision."""
    if session.connected is None:
        verb = "create" if command == "install" else "update"
        raise ProviderError(
            f"can't {verb} Helm Release with unreachable cluster: {session.unreachable_reason}"
        )
    name, identifier = inputs["name"], f"{inputs['namespace']}/{inputs['name']}"
    chart = str(_chart(inputs))
    helm = Helm(session, name, inputs["namespace"])
    before = helm.find()
    try:
        helm.run(command, name, chart, *_FLAGS[command](inputs), values=inputs.get("values") or {})
    except HelmError as error:
        after = helm.find()
        if after is None or (before is not None and after["revision"] <= before["revision"]):
            raise
        message = (
            f'Helm release "{identifier}" {_FAILED[command]}failed to become available within allocated '
            f"timeout. Error: Helm Release {identifier}: {error}"
        )
        state = _record(helm, inputs, properties, after)
        raise InitializationError(identifier, message, [], state) from error
    found = helm.find()
    if found is None:
        raise ProviderError(f'Helm release "{identifier}" was installed, but Helm does not find it')
    return _record(helm, inputs, properties, found)


def _chart(inputs: dict[str, Any]) -> Path:
    repository = (inputs.get("repositoryOpts") or {}).get("repo") or ""
    return locate(str(inputs.get("chart", "")), repository, str(inputs.get("version", "")))


def _preview(inputs: dict[str, Any], properties: Properties) -> Properties:
    outputs = {**inputs, "resourceNames": UNKNOWN, "status": UNKNOWN}
    return _with_inputs(to_properties(outputs), inputs, properties)


def _record(helm: Helm, inputs: dict[str, Any], properties: Properties, found: dict[str, Any]) -> Properties:
    names = helm.resource_names()
    outputs = {**inputs, "version": found["version"], "resourceNames": names, "status": found}
    return _with_inputs(to_properties(outputs), inputs, properties)


def _with_inputs(outputs: Properties, inputs: dict[str, Any], properties: Properties) -> Properties:
    # Values may hold a secret under any key, so the recorded inputs are one secret.
    return {
        **with_secrets_of(outputs, properties),
        INPUTS: to_property(inputs).with_secret(is_secret=True),
    }
