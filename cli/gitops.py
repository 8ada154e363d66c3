"""A Helm release, or any object, as what Argo CD or Flux apply."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from cli.yaml_text import as_comment, shown_inputs, to_yaml, why_not_written
from resource_graph import Resource, Value
from stacks.updates.nested_values import mapping_in

_FLUX_SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
_PULUMI = "pulumi.com/"
_WHAT_PULUMI_DID = {
    "pulumi.com/waitFor": "Pulumi waits for it before it goes on; other tools must wait too",
    "pulumi.com/deletionPropagationPolicy": "Pulumi deletes the object so; kubectl needs --cascade",
    "pulumi.com/skipAwait": "Pulumi does not wait for this object",
    "pulumi.com/timeoutSeconds": "Pulumi waits that long",
    "pulumi.com/patchForce": "Pulumi takes fields over from other managers",
    "pulumi.com/replaceUnready": "Pulumi replaces a Job that failed; otherwise it is deleted by hand first",
}
# Flux replaces ${name}, by nothing where it does not know the name, and $${ is how it writes ${
# (https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution).
_SUBSTITUTED = re.compile(r"\$[${]")
_OCI = "oci://"


HelmStyle = Literal["comment", "argocd", "flux"]
"""The form in which a Helm release is written."""


def object_document(content: Mapping[str, Value]) -> str:
    """Return an object as anything but Pulumi applies it, below what was changed and is missing now.

    Pulumi's annotations go, and Flux is kept from replacing what looks like its variables.
    """
    fields = mapping_in(content, "metadata")
    before = mapping_in(fields, "annotations")
    kept = {key: item for key, item in before.items() if not key.startswith(_PULUMI)}
    notes = [_left_out(key, before[key]) for key in sorted(set(before) - set(kept))]
    if _would_be_substituted(content) and _FLUX_SUBSTITUTE not in kept:
        kept[_FLUX_SUBSTITUTE] = "disabled"
        notes.append(f"has ${{...}} or $$, which Flux would replace: {_FLUX_SUBSTITUTE} forbids it")
    if kept != before:
        without = {key: item for key, item in fields.items() if key != "annotations"}
        content = {**content, "metadata": {**without, "annotations": kept} if kept else without}
    return as_comment("\n".join(notes)) + to_yaml(content)


def release_documents(resource: Resource, style: HelmStyle) -> list[tuple[str, str]]:
    """Name and text of each document that stands for the release."""
    name = _text(resource.inputs.get("name")) or resource.name
    comment = (f"helm-release-{name}", _comment(resource))
    if style == "comment":
        return [comment]
    reason = why_not_written(resource)
    if reason is not None:
        return [(comment[0], as_comment(f"Not written for {style}: it {reason}.") + comment[1])]
    make = _application if style == "argocd" else _flux
    objects = make(name, resource.inputs)
    return [(f"{item['kind']}-{name}", object_document(item)) for item in objects]


def _left_out(key: str, value: Value) -> str:
    did = _WHAT_PULUMI_DID.get(key, "means something to Pulumi only")
    return f"left out: {key}: {value} ({did})"


def _would_be_substituted(value: Value) -> bool:
    if isinstance(value, Mapping):
        return any(_SUBSTITUTED.search(key) or _would_be_substituted(item) for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(_would_be_substituted(item) for item in value)
    return isinstance(value, str) and _SUBSTITUTED.search(value) is not None


def _comment(resource: Resource) -> str:
    inputs = shown_inputs(resource)
    fields: dict[str, Value] = {
        "chart": inputs.get("chart"),
        "repository": mapping_in(inputs, "repositoryOpts").get("repo"),
        "version": inputs.get("version"),
        "release": inputs.get("name") or resource.name,
        "namespace": inputs.get("namespace"),
        "values": inputs.get("values") or {},
    }
    heading = (
        "A Helm release: install the chart with these values and wait for it.\n"
        "For Argo CD it becomes an Application, for Flux a HelmRepository and a HelmRelease:\n"
        "`dynamo-stack render STACK --helm argocd` or `--helm flux` writes them in its place.\n"
    )
    return as_comment(heading + to_yaml(fields))


def _chart(inputs: Mapping[str, Value]) -> str:
    return _text(inputs.get("chart")).rpartition("/")[2]


def _repository(inputs: Mapping[str, Value]) -> str:
    chart = _text(inputs.get("chart"))
    if chart.startswith(_OCI):
        return chart.rpartition("/")[0]
    return _text(mapping_in(inputs, "repositoryOpts").get("repo"))


def _application(name: str, inputs: Mapping[str, Value]) -> list[dict[str, Value]]:
    # The server-side apply is for the chart's definitions: client-side, kubectl's annotation outgrows its
    # limit of 256 KiB (https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/).
    application: dict[str, Value] = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {
                "repoURL": _repository(inputs).removeprefix(_OCI),
                "chart": _chart(inputs),
                "targetRevision": inputs.get("version"),
                "helm": {"releaseName": name, "valuesObject": mapping_in(inputs, "values")},
            },
            "destination": {
                "server": "https://kubernetes.default.svc",
                "namespace": inputs.get("namespace") or "default",
            },
            "syncPolicy": {"syncOptions": ["ServerSideApply=true"]},
        },
    }
    return [application]


def _flux(name: str, inputs: Mapping[str, Value]) -> list[dict[str, Value]]:
    repository = _repository(inputs)
    timeout = inputs.get("timeout")
    metadata: dict[str, Value] = {"name": name, "namespace": inputs.get("namespace") or "default"}
    source: dict[str, Value] = {"interval": "1h", "url": repository}
    if repository.startswith(_OCI):
        source["type"] = "oci"
    spec: dict[str, Value] = {
        "interval": "10m",
        "releaseName": name,
        "chart": {
            "spec": {
                "chart": _chart(inputs),
                "version": inputs.get("version"),
                "sourceRef": {"kind": "HelmRepository", "name": name},
            }
        },
        "values": mapping_in(inputs, "values"),
    }
    if isinstance(timeout, int):
        spec["timeout"] = f"{timeout}s"
    kinds = (
        ("source.toolkit.fluxcd.io/v1", "HelmRepository", source),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", spec),
    )
    return [
        {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": content}
        for version, kind, content in kinds
    ]


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""
