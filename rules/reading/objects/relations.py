"""What one object says in two places that do not agree, in the API server's words."""

import json
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, Value
from resource_graph.resource import Path
from rules.reading.objects.mistakes import Mistake
from rules.reading.objects.schemas import dotted
from rules.reading.pods.pods import SPEC_PATHS
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at

_SELECTING = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
"""Kinds that find their pods by a selector of their own; a Job's is made by the API server."""


def relation_mistakes(resource: Resource) -> Iterator[Mistake]:
    """A selector that the own pods do not match, and each mount of a volume that the pod does not have.

    kubernetes/kubernetes pkg/apis/apps/validation (ValidatePodTemplateSpecForReplicaSet) and
    pkg/apis/core/validation (ValidateVolumeMounts) at v1.36.
    """
    path = SPEC_PATHS.get(resource.kind or "")
    if path is None:
        return
    for find in (_selector, _mounts):
        try:
            yield from find(resource, path)
        except Undecided:
            # The schema names what has another type, and what only the update knows may agree.
            continue


def _selector(resource: Resource, path: tuple[str, ...]) -> Iterator[Mistake]:
    if resource.kind not in _SELECTING:
        return
    wanted = mapping_at(resource.inputs, "spec", "selector", "matchLabels")
    at = (*path[:-1], "metadata", "labels")
    labels = mapping_at(resource.inputs, *at)
    if any(field(labels, key) != value for key, value in wanted.items()):
        shown = json.dumps(dict(labels), sort_keys=True, separators=(",", ":"))
        said = f"{dotted(at)}: Invalid value: {shown}: `selector` does not match template `labels`"
        yield Mistake(at, "relation", said)


def _mounts(resource: Resource, path: tuple[str, ...]) -> Iterator[Mistake]:
    spec = mapping_at(resource.inputs, *path)
    volumes = {text_at(each, "name") for each in mappings_at(spec, "volumes")}
    # A StatefulSet's claims are volumes of its pods.
    claims = mappings_at(resource.inputs, "spec", "volumeClaimTemplates") if len(path) > 1 else ()
    volumes |= {text_at(each, "metadata", "name") for each in claims}
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(mappings_at(spec, kind)):
            yield from _unmounted(container, volumes, (*path, kind, index))


def _unmounted(container: Mapping[str, Value], volumes: set[str | None], at: Path) -> Iterator[Mistake]:
    mounts: Sequence[Mapping[str, Value]] = mappings_at(container, "volumeMounts")
    for index, mount in enumerate(mounts):
        name = text_at(mount, "name")
        if name is not None and name not in volumes:
            place = (*at, "volumeMounts", index, "name")
            yield Mistake(place, "relation", f'{dotted(place)}: Not found: "{name}"')
