"""The variables of a container, from its pod and from the objects that they refer to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lab.kubelet.objects import CannotStartError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.kubelet.objects import Objects

_REASON = "CreateContainerConfigError"
_REFERENCE = re.compile(r"\$(?:\$|\((?P<name>[-._a-zA-Z][-._a-zA-Z0-9]*)\))")


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
    if container.get("envFrom"):
        raise _unknown("variables from envFrom")
    variables: dict[str, str] = {}
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
        raise _unknown(f"field {path}")
    return str(fields[path])


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
    raise _unknown(f"variables from {', '.join(source)}")


def _keyed(pod: Mapping[str, Any], kind: str, reference: Mapping[str, Any], objects: Objects) -> str | None:
    name, optional = reference["name"], bool(reference.get("optional"))
    data = objects.texts(pod, kind, name, _REASON, optional=optional)
    if reference["key"] in data or optional:
        return data.get(reference["key"])
    where = f"{kind} {pod['metadata']['namespace']}/{name}"
    raise CannotStartError(_REASON, f"couldn't find key {reference['key']} in {where}")


def _unknown(what: str) -> CannotStartError:
    return CannotStartError(_REASON, f"the lab's kubelet knows no {what}")
