"""Which pods a label selector means."""

from collections.abc import Mapping, Sequence

from resource_graph import UNKNOWN, Value
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, mapping_at, mappings_at, text_at, texts_at

ADDED_BY_CONTROLLERS = frozenset(
    {
        "nvidia.com/dynamo-namespace",
        "nvidia.com/selector",
        "nvidia.com/dynamo-worker-hash",
        "nvidia.com/metrics-enabled",
        "nvidia.com/dynamo-discovery-backend",
        "kai.scheduler/queue",
        "pod-template-hash",
        "controller-revision-hash",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        "job-name",
        "controller-uid",
        "batch.kubernetes.io/job-name",
        "batch.kubernetes.io/controller-uid",
    }
)
"""Labels that controllers add to the pods that they make, with values that no manifest holds.

ai-dynamo/dynamo deploy/operator internal/consts at 0367e40;
https://kubernetes.io/docs/reference/labels-annotations-taints/
"""


def equalities(selector: Mapping[str, Value]) -> Mapping[str, Sequence[str]]:
    """Label -> the values that a pod may carry, for every label that the selector pins to some.

    Raises:
        Undecided: one of them is unknown, or the selector has another shape.
    """
    pinned: dict[str, Sequence[str]] = {}
    for key in mapping_at(selector, "matchLabels"):
        pinned[key] = [text_at(selector, "matchLabels", key) or ""]
    for expression in mappings_at(selector, "matchExpressions"):
        if text_at(expression, "operator") == "In":
            pinned[text_at(expression, "key") or ""] = _values(expression)
    return pinned


def selects(selector: Mapping[str, Value], template: PodTemplate) -> bool | None:
    """Whether the selector means the template's pods; None where a label of them is not known.

    Raises:
        Undecided: the selector itself is unknown or of another shape.
    """
    answers = [_carries(template, key, values) for key, values in equalities(selector).items()]
    for expression in mappings_at(selector, "matchExpressions"):
        key = text_at(expression, "key") or ""
        match text_at(expression, "operator"):
            case "In":
                continue
            case "NotIn":
                answers.append(_not(_carries(template, key, _values(expression))))
            case "Exists":
                answers.append(_has(template, key))
            case "DoesNotExist":
                answers.append(_not(_has(template, key)))
            case operator:
                raise Undecided(f"a label selector's operator is {operator}")
    if False in answers:
        return False
    return None if None in answers else True


def _carries(template: PodTemplate, key: str, values: Sequence[str]) -> bool | None:
    value = template.labels.get(key)
    if value is UNKNOWN:
        return None
    if value is None:
        return None if key in ADDED_BY_CONTROLLERS else False
    return value in values


def _has(template: PodTemplate, key: str) -> bool | None:
    if key in template.labels:
        return True
    return None if key in ADDED_BY_CONTROLLERS else False


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _values(expression: Mapping[str, Value]) -> Sequence[str]:
    values = texts_at(expression, "values")
    if None in values:
        raise Undecided("a value of a label selector is known only after the update")
    return [value for value in values if value is not None]
