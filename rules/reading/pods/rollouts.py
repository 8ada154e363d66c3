"""How the pods of a template are replaced by newer ones."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from resource_graph import Value
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, field, mapping_at, text_at

_STRATEGY = "nvidia.com/deployment-strategy"
_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"
ANNOTATIONS = (_STRATEGY, _SURGE, _UNAVAILABLE)
"""By which a rollout is steered."""
_GROVE = "nvidia.com/enable-grove"
_DEFAULT = "25%"
_NUMBER = re.compile(r"[0-9]{1,9}%?")


@dataclass(frozen=True, slots=True)
class Rollout:
    """A rolling update, in whole pods."""

    surge: int
    """New pods beside all old ones."""
    unavailable: int
    """Old pods that may go before new ones are ready."""
    source: str
    is_typed: bool
    """Whether a person or Kubernetes' own default says how many may be unavailable. Of the operator's
    default the sources contradict each other."""


def read_rollout(template: PodTemplate) -> Rollout | None:
    """The rolling update of a Deployment, or of a service that the operator makes a Deployment of.

    None where old pods go first, or nothing is rolled.

    Raises:
        Undecided: the strategy is unknown or no strategy.
    """
    if template.resource.kind == "Deployment":
        return _of_deployment(template)
    if template.shape == "workload" or template.pods_per_replica > 1:
        return None
    return _of_service(template)


def _of_deployment(template: PodTemplate) -> Rollout | None:
    strategy = mapping_at(template.described_by, "strategy")
    if text_at(strategy, "type") == "Recreate":
        return None
    given = mapping_at(strategy, "rollingUpdate")
    surge = _pods(given.get("maxSurge", _DEFAULT), template.replicas, up=True)
    unavailable = _pods(given.get("maxUnavailable", _DEFAULT), template.replicas, up=False)
    source = "spec.strategy" if "maxUnavailable" in given else "Kubernetes' default"
    if not surge and not unavailable:
        # kubernetes/kubernetes pkg/controller/deployment/util: both rounded to zero is one unavailable.
        unavailable = 1
    return Rollout(surge, unavailable, source, is_typed=True)


def _of_service(template: PodTemplate) -> Rollout | None:
    annotations = _annotations(template)
    # Under Grove one old pod goes first, whatever is annotated.
    if _text(annotations, _STRATEGY) == "Recreate" or _text(annotations, _GROVE) == "true":
        return None
    surge = _pods(_text(annotations, _SURGE) or _DEFAULT, template.replicas, up=True)
    typed = _text(annotations, _UNAVAILABLE)
    unavailable = _pods(typed or _DEFAULT, template.replicas, up=False)
    if not surge and not unavailable:
        surge = 1
    source = "the operator's default" if typed is None else _UNAVAILABLE
    return Rollout(surge, unavailable, source, is_typed=typed is not None)


def pod_annotations(template: PodTemplate) -> Mapping[str, Value]:
    """The annotations on the pod template of a graph's service or component."""
    if template.shape == "service":
        return mapping_at(template.described_by, "extraPodMetadata", "annotations")
    return mapping_at(template.described_by, "podTemplate", "metadata", "annotations")


def _annotations(template: PodTemplate) -> Mapping[str, Value]:
    own = pod_annotations(template)
    if template.shape == "service":
        own = {**mapping_at(template.described_by, "annotations"), **own}
    on_graph = mapping_at(template.resource.metadata, "annotations")
    grove = {key: value for key, value in on_graph.items() if key == _GROVE}
    return {**grove, **mapping_at(template.graph_spec, "annotations"), **own}


def _text(annotations: Mapping[str, Value], key: str) -> str | None:
    value = field(annotations, key)
    if value is None or isinstance(value, str):
        return value
    raise Undecided(f"{key} is {value!r}, not a text")


def _pods(value: Value, replicas: int, *, up: bool) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        number = int(value.removesuffix("%"))
        if not value.endswith("%"):
            return number
        return -(-number * replicas // 100) if up else number * replicas // 100
    raise Undecided(f"a rollout's surge or unavailability is {value!r}, not a number or a percentage")
