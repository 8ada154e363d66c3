"""Pods that must share a node, and pods that must not."""

from typing import Any

from tests.rules.case import On
from tests.rules.edits import Edit, put
from tests.rules.names import DECODE, FRONTEND, GRAPH, PREFILL
from tests.rules.serving_edits import runtime

MATCHES = "pod-affinity-can-match"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_AFFINITY_OF_FRONTEND = "spec.services.Frontend.extraPodSpec.affinity"
_GRAPH_NAME = "nvidia.com/dynamo-graph-deployment-name"
_TYPE = "nvidia.com/dynamo-component-type"
_OF_THE_GRAPH = {_GRAPH_NAME: "gpt-oss-disagg"}
_NO_WORKER = {"key": _TYPE, "operator": "NotIn", "values": ["prefill", "decode"]}
_OF_A_COMPONENT = {"key": "nvidia.com/dynamo-component", "operator": "Exists"}


def _term(selector: dict[str, Any], **others: Any) -> list[dict[str, Any]]:
    return [{"labelSelector": selector, "topologyKey": "kubernetes.io/hostname", **others}]


def _named(graph: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": _GRAPH_NAME, "operator": "In", "values": [graph]}]}


def _away(selector: dict[str, Any], **others: Any) -> Edit:
    return put(GRAPH, f"{_AFFINITY_OF_FRONTEND}.podAntiAffinity", {_REQUIRED: _term(selector, **others)})


def _beside(selector: dict[str, Any], **others: Any) -> Edit:
    path = f"spec.services.{DECODE}.extraPodSpec.affinity.podAffinity"
    return put(GRAPH, path, {_REQUIRED: _term(selector, **others)})


def _rather(kind: str, selector: dict[str, Any]) -> Edit:
    return put(
        GRAPH, f"{_AFFINITY_OF_FRONTEND}.{kind}", {_PREFERRED: [{"podAffinityTerm": _term(selector)[0]}]}
    )


CASES = (
    On(MATCHES, "disagg-b200", DECODE).fails(
        "another graph, and workers, whose only type is prefill or decode since 1.2",
        "another manifest's may",
        _away(_named("some-other-graph")),
        "must run beside",
        "(by kubernetes.io/hostname), but no pod of the graph carries that, not even itself",
        _beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}}),
        undecided_for=("Frontend",),
    ),
    On(MATCHES, "disagg-b200").passes(
        "the graph's pods in any namespace, and a preference for pods that there are not",
        _away(_named("gpt-oss-disagg"), namespaceSelector={}),
        _rather("podAffinity", {"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}}),
    ),
    On(MATCHES, "disagg-b200").passes(
        "pods of the graph that are no workers",
        _away({"matchLabels": _OF_THE_GRAPH, "matchExpressions": [_NO_WORKER, _OF_A_COMPONENT]}),
    ),
    On(MATCHES, "disagg-b200", DECODE).fails(
        "pods that are of two graphs",
        (f"must run beside a pod with {_GRAPH_NAME}=another, {_GRAPH_NAME}=gpt-oss-disagg",),
        _beside({"matchLabels": {_GRAPH_NAME: "another"}, **_named("gpt-oss-disagg")}),
    ),
    *(
        On(MATCHES, "disagg-b200", DECODE).fails(
            f"a type that no pod has, {asked}",
            "must run beside a pod with nvidia.com/dynamo-graph-deployment-name=gpt-oss-disagg",
            _beside({"matchLabels": _OF_THE_GRAPH, "matchExpressions": [{"key": _TYPE, **asked}]}),
            *(runtime(service, "1.1.1") for service in (FRONTEND, PREFILL, DECODE)),
        )
        for asked in (
            {"operator": "In", "values": ["engine"]},
            {"operator": "NotIn", "values": ["frontend", "prefill", "decode"]},
        )
    ),
    On(MATCHES, "disagg-b200", "Frontend").advises(
        "pods with the name of the frontend's Service",
        f"pods with {_GRAPH_NAME}=gpt-oss-disagg-frontend, which no pod of the graph carries; its own",
        _rather("podAntiAffinity", _named("gpt-oss-disagg-frontend")),
    ),
    On(MATCHES, "disagg-b200").passes(
        "workers, as prefill and decode are called before 1.2",
        _beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}}),
        *(runtime(service, "1.1.1") for service in (FRONTEND, PREFILL, DECODE)),
    ),
    *(
        On(MATCHES, "disagg-b200", DECODE).is_undecided(name, says, _beside(selector, **others))
        for name, says, selector, others in (
            ("pods of somebody else", "carries app=cache; another", {"matchLabels": {"app": "cache"}}, {}),
            ("another namespace", "another manifest's", _named("gpt-oss-disagg"), {"namespaces": ["others"]}),
            (
                "a label that a controller writes",
                "carries pod-template-hash=1 is known only after the update",
                {"matchLabels": {"pod-template-hash": "1"}},
                {},
            ),
            (
                "an operator that there is not",
                "a label selector's operator is Like",
                {"matchExpressions": [{"key": _TYPE, "operator": "Like", "values": ["x"]}]},
                {},
            ),
        )
    ),
    On(MATCHES, "disagg-b200", DECODE, "Broken").is_undecided(
        "a service that cannot be read, and may be the one that is meant",
        "is known only after the update",
        _beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}}),
        put(GRAPH, "spec.services.Broken", "a service"),
    ),
)
