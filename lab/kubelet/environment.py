"""The variables of a container, from its pod and from the objects that they refer to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.kubelet.objects import Objects

_REFERENCE = re.compile(r"\$(?:\$|\((?P<name>[-._a-zA-Z][-._a-zA-Z0-9]*)\))")
_KEYED = re.compile(r"^metadata\.(?P<field>labels|annotations)\['(?P<key>[^']+)'\]$")


class CannotStartError(Exception):
    """The container cannot be started as it is; `reason` is the kubelet's name for it."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def container_variables(
    pod: Mapping[str, Any], container: Mapping[str, Any], objects: Objects, address: str
) -> dict[str, str]:
    """Return the container's variables in their order, `$(NAME)` replaced as Kubernetes does.

    Args:
        pod: as the API server holds it.
        container: one of its containers.
        objects: where ConfigMaps and Secrets are found.
        address: the pod's address, for status.podIP.

    Raises:
        CannotStartError: what a variable refers to does not exist, or the lab does not know such a reference.

    """
    variables: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        variables |= _all_of(pod, source, objects)
    for entry in container.get("env", ()):
        value = _value(pod, entry, objects, address)
        if value is not None:
            variables[entry["name"]] = expanded(value, variables)
    return variables


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """Return the text with `$(NAME)` replaced; a name that is not known stays, and `$$` is a dollar sign."""

    def replace(found: re.Match[str]) -> str:
        name = found["name"]
        return "$" if name is None else variables.get(name, found[0])

    return _REFERENCE.sub(replace, text)


def pod_field(pod: Mapping[str, Any], path: str, address: str) -> str:
    """Return a field of the downward API.

    Raises:
        CannotStartError: the lab does not know the field.

    """
    metadata, spec = pod["metadata"], pod["spec"]
    keyed = _KEYED.match(path)
    if keyed:
        return str(metadata.get(keyed["field"], {}).get(keyed["key"], ""))
    fields = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata["uid"],
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "status.hostIP": address,
        "status.podIP": address,
        "status.podIPs": address,
    }
    if path not in fields:
        raise CannotStartError("CreateContainerConfigError", f"the lab's kubelet knows no field {path}")
    return str(fields[path])


def _all_of(pod: Mapping[str, Any], source: Mapping[str, Any], objects: Objects) -> dict[str, str]:
    prefix = source.get("prefix", "")
    kind, reference = next((kind, source[key]) for key, kind in _SOURCES.items() if key in source)
    data = _data(pod, kind, reference, objects)
    return {f"{prefix}{key}": value for key, value in (data or {}).items()}


_SOURCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_KEY_SOURCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}


def _value(pod: Mapping[str, Any], entry: Mapping[str, Any], objects: Objects, address: str) -> str | None:
    source = entry.get("valueFrom")
    if source is None:
        return str(entry.get("value", ""))
    if "fieldRef" in source:
        return pod_field(pod, source["fieldRef"]["fieldPath"], address)
    for name, kind in _KEY_SOURCES.items():
        if name in source:
            return _keyed(pod, kind, source[name], objects)
    unknown = ", ".join(source)
    raise CannotStartError(
        "CreateContainerConfigError", f"the lab's kubelet knows no variables from {unknown}"
    )


def _keyed(pod: Mapping[str, Any], kind: str, reference: Mapping[str, Any], objects: Objects) -> str | None:
    data = _data(pod, kind, reference, objects)
    if data is not None and reference["key"] in data:
        return data[reference["key"]]
    if reference.get("optional"):
        return None
    where = f"{kind} {pod['metadata']['namespace']}/{reference['name']}"
    raise CannotStartError("CreateContainerConfigError", f"couldn't find key {reference['key']} in {where}")


def _data(
    pod: Mapping[str, Any], kind: str, reference: Mapping[str, Any], objects: Objects
) -> Mapping[str, str] | None:
    data = objects.texts(kind, pod["metadata"]["namespace"], reference["name"])
    if data is None and not reference.get("optional"):
        message = f'{kind.lower()} "{reference["name"]}" not found'
        raise CannotStartError("CreateContainerConfigError", message)
    return data
