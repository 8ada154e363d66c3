"""Every field has a value that the API server takes, and none that it needs is absent."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.objects.hints import value_at
from rules.reading.objects.judged import Judged, read_mistakes
from rules.reading.objects.schemas import dotted


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for judged in read_mistakes(graph):
        mistake = judged.mistake
        if mistake.kind == "unknown":
            continue
        decided = judged.doubt is None and mistake.kind != "placeholder"
        see = failed if decided else undecided
        yield see(judged.resource, judged.subject, _message(judged), mistake.path)


def _message(judged: Judged) -> str:
    mistake, where = judged.mistake, dotted(judged.mistake.path)
    if mistake.kind == "placeholder":
        return f"{where} is {mistake.says}, which something is to replace"
    if judged.doubt is not None:
        return f"{judged.line} would refuse {where}; {judged.doubt}"
    if mistake.kind == "missing":
        lacks = "is absent" if value_at(judged.resource.inputs, mistake.path) is None else "is empty"
        return f"{where} {lacks}; the API server: {mistake.says}"
    return f"{where} {_shown(judged)}; the API server: {mistake.says}"


def _shown(judged: Judged) -> str:
    value = value_at(judged.resource.inputs, judged.mistake.path)
    if isinstance(value, bool):
        return f"is {str(value).lower()}, without quotes a truth value"
    if isinstance(value, int | float):
        return f"is {value}, without quotes a number"
    if isinstance(value, str):
        return f"is the text {value!r}"
    if judged.mistake.kind == "value":
        return "repeats an earlier item" if isinstance(value, Mapping) else "has too many or too few items"
    return "is a mapping" if isinstance(value, Mapping) else "is a list"


RULE = Rule(
    id="values-accepted",
    title="Every field has a value of its type and within its limits, and no field that is needed is absent",
    severity=Severity.MANDATORY,
    reason="The API server refuses the object.",
    source="CustomResourceDefinitions of ai-dynamo/dynamo, dra-driver-nvidia-gpu and Grove at the commits in "
    "rules/reading/objects/definitions.json; Kubernetes' own OpenAPI 1.37; seen on API server 1.36.3",
    lines=(
        "Dynamo 1.2 to 1.5",
        "NVIDIA DRA driver 0.4 and 25.8",
        "Grove 0.1.0-alpha.8 and alpha.12",
        "Kubernetes 1.37",
    ),
    fix="Write a value of the type that the finding names. A number that must be a text stands in quotes.",
    check=_check,
)
