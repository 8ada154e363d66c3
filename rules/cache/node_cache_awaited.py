"""A pod that reads a model from its node waits until it is there."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import mappings_at, text_at
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, _check_volume)


def _check_volume(volume: ModelVolume) -> Iterator[Observation]:
    if volume.node_path is None or not volume.of_kind("download"):
        return
    for user in volume.of_kind("worker", "frontend"):
        volumes = {text_at(each, "name") for each in _directories(user.template, volume.node_path)}
        first = mappings_at(user.template.spec, "initContainers")
        if any(_mounts(container, volumes) for container in first):
            continue
        yield failed(
            user.resource,
            user.name,
            f"starts beside what fills {volume.node_path} of its node: no init container looks into it",
        )


def _directories(template: PodTemplate, path: str) -> Iterator[Mapping[str, Value]]:
    for volume in mappings_at(template.spec, "volumes"):
        if text_at(volume, "hostPath", "path") == path:
            yield volume


def _mounts(container: Mapping[str, Value], names: set[str | None]) -> bool:
    return any(text_at(mount, "name") in names for mount in mappings_at(container, "volumeMounts"))


RULE = Rule(
    id="node-cache-awaited",
    title="A pod that reads a model from its node's own directory waits until it is there",
    severity=Severity.ADVISORY,
    reason=(
        "On a new node the pod and what fills the directory start at once: the engine finds no model, ends, "
        "and is started again with longer and longer pauses, up to five minutes after the model is there."
    ),
    source="https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy",
    lines=EVERY_RELEASE,
    fix="Add an init container that waits for a file which is written last, such as .complete.",
    check=_check,
)
