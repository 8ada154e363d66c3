"""No credential stands where everybody can read it who may look at pods or at the repository."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.pods.all_containers import all_containers
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.program.secret_texts import (
    credential_called,
    credential_in,
    credential_in_base64,
    dotted,
    leaves,
)
from rules.reading.shapes import mappings_at, text_at

# Where a GitOps tool's document holds the values of a chart.
_VALUES: Mapping[str, tuple[str, ...]] = {
    "HelmRelease": ("spec", "values"),
    "Application": ("spec", "source", "helm", "valuesObject"),
}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_pods(graph, _check_template)
    for resource in graph.kubernetes_objects("ConfigMap"):
        for path, _, value in leaves(resource.inputs.get("data"), ("data",)):
            yield from _judged(resource, resource.name, dotted(path), value, credential_in)
    for resource in graph.kubernetes_objects("Secret"):
        # What a program hands to the cluster as a Secret is judged by what it marked.
        if resource.origin is not None:
            yield from _check_secret_document(resource)
    for kind, place in _VALUES.items():
        for resource in graph.kubernetes_objects(kind):
            yield from _check_values(resource, place)


def _check_template(template: PodTemplate) -> Iterator[Observation]:
    resource, subject = template.resource, template.name
    for where, entries in _environments(template):
        for entry in entries:
            name = text_at(entry, "name") or ""
            what = f"variable {name} of {where}"
            yield from _judged(resource, subject, what, entry.get("value"), partial(credential_called, name))
    for name, container in all_containers(template):
        for key in ("command", "args"):
            for _, _, value in leaves(container.get(key)):
                yield from _judged(resource, subject, f"{key} of container {name}", value, credential_in)


def _environments(template: PodTemplate) -> Iterator[tuple[str, Sequence[Mapping[str, Value]]]]:
    if template.shape == "service":
        yield "the graph", mappings_at(template.graph_spec, "envs")
        yield f"service {template.name}", mappings_at(template.described_by, "envs")
    elif template.shape == "component":
        yield "the graph", mappings_at(template.graph_spec, "env")
    for name, container in all_containers(template):
        yield f"container {name}", mappings_at(container, "env")


def _check_secret_document(resource: Resource) -> Iterator[Observation]:
    for key, credential in (("stringData", credential_in), ("data", credential_in_base64)):
        for path, _, value in leaves(resource.inputs.get(key), (key,)):
            yield from _judged(resource, resource.name, f"{dotted(path)}, in a file,", value, credential)


def _check_values(resource: Resource, place: Sequence[str]) -> Iterator[Observation]:
    values: Value = resource.inputs
    for key in place:
        values = values.get(key) if isinstance(values, Mapping) else None
    for path, name, value in leaves(values, tuple(place)):
        yield from _judged(resource, resource.name, dotted(path), value, partial(credential_called, name))


def _judged(
    resource: Resource, subject: str, what: str, value: Value, credential: Callable[[str], str | None]
) -> Iterator[Observation]:
    if value is UNKNOWN:
        yield undecided(resource, subject, f"{what} has a value that is not known here")
    elif isinstance(value, str) and (kind := credential(value)) is not None:
        yield failed(resource, subject, f"{what} holds {kind}")


RULE = Rule(
    id="secrets-not-in-plain-values",
    title="No credential stands in a plain value",
    severity=Severity.MANDATORY,
    reason=(
        "Whoever may read pods, ConfigMaps or the repository has the credential, and it stays in the history "
        "of each after it was taken out."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/secret/",
    lines=EVERY_RELEASE,
    fix="Put it into a Secret and refer to it by secretKeyRef; take back the credential that was readable.",
    check=_check,
)
