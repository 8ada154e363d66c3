"""kubernetes:helm.sh/v3:Release: one opaque resource, installed by the real helm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import helm_inputs
from lab.kubernetes_provider.checkpoint import INPUTS
from lab.kubernetes_provider.diff import difference
from lab.kubernetes_provider.errors import Gone, InitializationError, ProviderError
from lab.kubernetes_provider.helm_charts import Chart, ChartError, locate
from lab.kubernetes_provider.helm_command import Helm, HelmError, Installed
from lab.kubernetes_provider.kinds import RELEASE, input_properties
from lab.kubernetes_provider.naming import namespace_and_name
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
    from lab.kubernetes_provider.check import Failure
    from lab.kubernetes_provider.session import Session
    from lab.provider_service.difference import Difference

_NOT_AVAILABLE = "failed to become available within allocated timeout. Error: Helm Release"


def check(
    session: Session, urn: str, old: Properties, new: Properties, seed: bytes
) -> tuple[Properties, list[Failure]]:
    """Names the release and, when all inputs are known, looks for its chart and pins the version."""
    given, old_inputs = plain_map(new), plain_map(old)
    known = input_properties(RELEASE) or frozenset()
    failures = [(key, f"unknown input property {key!r} of {RELEASE}") for key in sorted(set(given) - known)]
    name = old_inputs.get("name") or unique_name(name_of(urn), seed)
    inputs = helm_inputs.with_defaults(given, name, session.default_namespace)
    if not contains_unknown(inputs):
        try:
            chart = _chart(inputs)
            inputs["version"] = chart.version or inputs.get("version", "")
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
    if session.is_unreachable:
        raise ProviderError(
            f"can't create Helm Release with unreachable cluster: {session.unreachable_reason}"
        )
    helm, name, namespace = Helm(session), inputs["name"], inputs["namespace"]
    identifier = f"{namespace}/{name}"
    before = _find(helm, name, namespace)
    arguments = helm_inputs.install_arguments(inputs)
    try:
        helm.run(
            "install",
            name,
            str(_located(inputs).path),
            *arguments,
            namespace=namespace,
            values=_values_of(inputs),
        )
    except HelmError as error:
        after = _find(helm, name, namespace)
        if after is None or not _is_newer(after, before):
            raise ProviderError(str(error)) from error
        session.host.warning(
            urn,
            f'Helm release "{name}" was created but has a failed status. Use the `helm` command to '
            f"investigate the error, correct it, then retry. Reason: {error}",
        )
        message = (
            f'Helm release "{identifier}" was created, but failed to initialize completely. '
            f"Use Helm CLI to investigate: {_NOT_AVAILABLE} {identifier}: {error}"
        )
        state = _record(helm, inputs, properties, after)
        raise InitializationError(identifier, message, [], state) from error
    return identifier, _record(helm, inputs, properties, _installed(helm, name, namespace))


def update(session: Session, properties: Properties, *, preview: bool) -> Properties:
    """Upgrades. Raises InitializationError when Helm has recorded a failed revision."""
    inputs = plain_map(properties)
    if preview:
        return _preview(inputs, properties)
    if session.is_unreachable:
        raise ProviderError(
            f"can't update Helm Release with unreachable cluster: {session.unreachable_reason}"
        )
    helm, name, namespace = Helm(session), inputs["name"], inputs["namespace"]
    chart, before = _located(inputs), _find(helm, name, namespace)
    try:
        if inputs.get("lint"):
            helm.run("lint", str(chart.path), namespace=namespace, values=_values_of(inputs))
        arguments = helm_inputs.upgrade_arguments(inputs)
        helm.run("upgrade", name, str(chart.path), *arguments, namespace=namespace, values=_values_of(inputs))
    except HelmError as error:
        after = _find(helm, name, namespace)
        if after is None or not _is_newer(after, before):
            raise ProviderError(str(error)) from error
        identifier = f"{namespace}/{name}"
        message = (
            f'Helm release "{identifier}" failed to initialize completely. Use Helm CLI to investigate: '
            f"error running update: {_NOT_AVAILABLE} {identifier}: {error}"
        )
        raise InitializationError(
            identifier, message, [], _record(helm, inputs, properties, after)
        ) from error
    return _record(helm, inputs, properties, _installed(helm, name, namespace))


def read(session: Session, identifier: str, state: Properties) -> tuple[Properties, Properties]:
    """State and inputs of the release that Helm records. Raises Gone."""
    recorded = plain_map(state)
    old_inputs = recorded.get(INPUTS)
    namespace, name = namespace_and_name(identifier)
    name, namespace = (
        recorded.get("name") or name,
        recorded.get("namespace") or namespace or session.default_namespace,
    )
    helm = Helm(session)
    found = _find(helm, name, namespace)
    if found is None:
        raise Gone
    values = helm.values(name, namespace)
    inputs = old_inputs or helm_inputs.with_defaults(
        {"chart": found.chart, "values": values}, name, namespace
    )
    live = {**inputs, "version": found.version} | ({"values": values} if values else {})
    secrets_from = _inputs_of(state)
    new_state = _record(helm, live, secrets_from, found)
    new_state[INPUTS] = to_property(inputs).with_secret(is_secret=True)
    return new_state, with_secrets_of(to_properties(live), secrets_from)


def delete(session: Session, urn: str, state: Properties) -> None:
    """Uninstalls, and waits unless the release was told not to. A missing release is an error."""
    if session.is_unreachable:
        raise ProviderError(
            f'can\'t delete Helm Release with unreachable cluster. Reason: "{session.unreachable_reason}"'
        )
    recorded = plain_map(state)
    arguments = helm_inputs.uninstall_arguments(recorded)
    try:
        output = Helm(session).run("uninstall", recorded["name"], *arguments, namespace=recorded["namespace"])
    except HelmError as error:
        raise ProviderError(str(error)) from error
    kept = output.partition("These resources were kept")
    if kept[1]:
        information = (kept[1] + kept[2]).strip()
        session.host.warning(urn, f'Helm uninstall returned information: "{information}"')


def _chart(inputs: dict[str, Any]) -> Chart:
    return locate(
        str(inputs.get("chart", "")), helm_inputs.repository_of(inputs), str(inputs.get("version", ""))
    )


def _located(inputs: dict[str, Any]) -> Chart:
    try:
        return _chart(inputs)
    except ChartError as error:
        raise ProviderError(str(error)) from error


def _values_of(inputs: dict[str, Any]) -> dict[str, Any]:
    return inputs.get("values") or {}


def _find(helm: Helm, name: str, namespace: str) -> Installed | None:
    try:
        return helm.find(name, namespace)
    except HelmError as error:
        raise ProviderError(str(error)) from error


def _installed(helm: Helm, name: str, namespace: str) -> Installed:
    found = _find(helm, name, namespace)
    if found is None:
        raise ProviderError(f'Helm release "{namespace}/{name}" was installed, but Helm does not find it')
    return found


def _is_newer(after: Installed, before: Installed | None) -> bool:
    return before is None or after.revision > before.revision


def _preview(inputs: dict[str, Any], properties: Properties) -> Properties:
    outputs = {**inputs, "resourceNames": UNKNOWN, "status": UNKNOWN}
    return _with_inputs(to_properties(outputs), inputs, properties)


def _record(helm: Helm, inputs: dict[str, Any], properties: Properties, found: Installed) -> Properties:
    names = helm.resource_names(found.name, found.namespace)
    outputs = {**inputs, "version": found.version, "resourceNames": names, "status": found.as_status()}
    return _with_inputs(to_properties(outputs), inputs, properties)


def _with_inputs(outputs: Properties, inputs: dict[str, Any], properties: Properties) -> Properties:
    state = with_secrets_of(outputs, properties)
    # Values may hold a secret under any key, so the recorded inputs are one secret.
    state[INPUTS] = to_property(inputs).with_secret(is_secret=True)
    return state


def _inputs_of(state: Properties) -> Properties:
    return {key: value for key, value in state.items() if key not in (INPUTS, "status", "resourceNames")}
