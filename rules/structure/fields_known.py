"""Every field is one that the object's kind has."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.objects.definitions import other_version
from rules.reading.objects.hints import hint
from rules.reading.objects.judged import Judged, read_mistakes
from rules.reading.objects.schemas import dotted

_HINTED = 200
"""Findings that say what was meant, which takes a hundred times as long as to find them."""


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    unknown = [judged for judged in read_mistakes(graph) if judged.mistake.kind == "unknown"]
    for number, judged in enumerate(unknown):
        see = failed if judged.doubt is None else undecided
        hints = _hints(judged) if number < _HINTED else ()
        yield see(judged.resource, judged.subject, _message(judged, hints), judged.mistake.path)


def _message(judged: Judged, hints: Sequence[str]) -> str:
    resource, path = judged.resource, judged.mistake.path
    said = f"{dotted(path)} is no field of a {resource.kind} of {resource.api_version} in {judged.line}"
    if judged.doubt is not None:
        return f"{said}; {judged.doubt}"
    return "; ".join(text for text in (said, *hints, f"the API server: {judged.mistake.says}") if text)


def _hints(judged: Judged) -> Sequence[str]:
    resource, path = judged.resource, judged.mistake.path
    elsewhere = f"{judged.elsewhere[0]} has it" if judged.elsewhere else ""
    return hint(judged.schema, resource.inputs, path), other_version(resource, path), elsewhere


RULE = Rule(
    id="fields-known",
    title="Every field is one that the object's kind has, where it stands",
    severity=Severity.MANDATORY,
    reason="A client that asks for strict validation, as kubectl apply does, is refused; for every other one "
    "the API server drops the field in silence, and with it the setting.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu and Grove at the commits in "
    "rules/reading/objects/definitions.json; Kubernetes' own OpenAPI 1.30 to 1.37; seen on API server 1.36.3",
    lines=(
        "Dynamo 1.2 to 1.5",
        "NVIDIA DRA driver 0.4 and 25.8",
        "Grove 0.1.0-alpha.8 and alpha.12",
        "Kubernetes 1.37",
    ),
    fix="Correct the name, or move the field to the place that the finding names.",
    check=_check,
)
