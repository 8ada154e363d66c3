"""Pods that must share a node, and pods that must not."""

from typing import Any

from tests.rules.case import On
from tests.rules.edits import Edit, put
from tests.rules.serving_edits import DECODE, FRONTEND, GRAPH, PREFILL, runtime

MATCHES = "pod-affinity-can-match"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_AFFINITY_OF_FRONTEND = "spec.services.Frontend.extraPodSpec.affinity"
_GRAPH_NAME = "nvidia.com/dynamo-graph-deployment-name"
_TYPE = "nvidia.com/dynamo-component-type"


def _term(selector: dict[str, Any], **others: Any) -> list[dict[str, Any]]:
    return [{"labelSelector": selector, "topologyKey": "kubernetes.io/hostname", **others}]


_NO_PODS = _term({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}})[0]


def _named(graph: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": _GRAPH_NAME, "operator": "In", "values": [graph]}]}


def _away(selector: dict[str, Any], **others: Any) -> Edit:
    return put(GRAPH, f"{_AFFINITY_OF_FRONTEND}.podAntiAffinity", {_REQUIRED: _term(selector, **others)})


def _beside(selector: dict[str, Any], **others: Any) -> Edit:
    path = f"spec.services.{DECODE}.extraPodSpec.affinity.podAffinity"
    return put(GRAPH, path, {_REQUIRED: _term(selector, **others)})


CASES = (
    On(MATCHES, "disagg-b200", "Frontend").is_undecided(
        "another graph, which another file may hold",
        "another manifest's may",
        _away(_named("some-other-graph")),
    ),
    On(MATCHES, "disagg-b200").passes(
        "the graph's pods in any namespace", _away(_named("gpt-oss-disagg"), namespaceSelector={})
    ),
    On(MATCHES, "disagg-b200").passes(
        "pods of the graph that are no workers",
        _away(
            {
                "matchLabels": {_GRAPH_NAME: "gpt-oss-disagg"},
                "matchExpressions": [
                    {"key": _TYPE, "operator": "NotIn", "values": ["prefill", "decode"]},
                    {"key": "nvidia.com/dynamo-component", "operator": "Exists"},
                ],
            }
        ),
    ),
    On(MATCHES, "disagg-b200", DECODE).fails(
        "workers, whose only type is prefill or decode since 1.2",
        (
            "must run beside",
            "(by kubernetes.io/hostname), but no pod of the graph carries that, not even itself",
        ),
        _beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}}),
    ),
    On(MATCHES, "disagg-b200", DECODE).fails(
        "pods that are of two graphs",
        (f"must run beside a pod with {_GRAPH_NAME}=another, {_GRAPH_NAME}=gpt-oss-disagg",),
        _beside({"matchLabels": {_GRAPH_NAME: "another"}, **_named("gpt-oss-disagg")}),
    ),
    On(MATCHES, "disagg-b200", DECODE).fails(
        "a type that there is in no release",
        "nvidia.com/dynamo-component-type=engine (by",
        _beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "engine"}}),
        *(runtime(service, "1.1.1") for service in (FRONTEND, PREFILL, DECODE)),
    ),
    On(MATCHES, "disagg-b200", "Frontend").advises(
        "pods with the name of the frontend's Service",
        "pods with nvidia.com/dynamo-graph-deployment-name=gpt-oss-disagg-frontend, which no pod "
        "of the graph carries; its own nvidia.com/dynamo-graph-deployment-name is gpt-oss-disagg",
        _away(_named("gpt-oss-disagg-frontend")),
    ),
    On(MATCHES, "disagg-b200").passes(
        "a preference for pods that there are not",
        put(GRAPH, f"{_AFFINITY_OF_FRONTEND}.podAffinity", {_PREFERRED: [{"podAffinityTerm": _NO_PODS}]}),
    ),
    On(MATCHES, "disagg-b200").passes(
        "workers, as prefill and decode are called before 1.2",
        _beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "worker"}}),
        *(runtime(service, "1.1.1") for service in (FRONTEND, PREFILL, DECODE)),
    ),
    On(MATCHES, "disagg-b200", DECODE).is_undecided(
        "pods of somebody else",
        "no pod of what was read carries app=cache; another manifest's may",
        _beside({"matchLabels": {"app": "cache"}}),
    ),
)
