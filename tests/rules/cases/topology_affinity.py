"""Pods that must share a node, or must not, and the nodes of frontends and servers."""

from typing import Any

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, drop, put, without
from tests.rules.exports import unset

BESIDE, AWAY = "pod-affinity-can-match", "pod-anti-affinity-can-match"
FRONTEND, SERVERS = "frontend-off-gpu-nodes", "servers-survive-a-node"
GRAPH, EKS_GRAPH = "DynamoGraphDeployment", "DynamoGraphDeployment/graph"
DECODE = "TrtllmDecodeWorker"
NATS = "dynamo-nats"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_AFFINITY_OF_FRONTEND = "spec.services.Frontend.extraPodSpec.affinity"
_GRAPH_NAME = "nvidia.com/dynamo-graph-deployment-name"
_TYPE = "nvidia.com/dynamo-component-type"


def _term(selector: dict[str, Any], **others: Any) -> list[dict[str, Any]]:
    return [{"labelSelector": selector, "topologyKey": "kubernetes.io/hostname", **others}]


def _named(graph: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": _GRAPH_NAME, "operator": "In", "values": [graph]}]}


def _away(selector: dict[str, Any], **others: Any) -> Edit:
    return put(GRAPH, f"{_AFFINITY_OF_FRONTEND}.podAntiAffinity", {_REQUIRED: _term(selector, **others)})


def _beside(selector: dict[str, Any], **others: Any) -> Edit:
    path = f"spec.services.{DECODE}.extraPodSpec.affinity.podAffinity"
    return put(GRAPH, path, {_REQUIRED: _term(selector, **others)})


CASES = (
    Case(
        AWAY,
        "the frontend's Service in place of the graph",
        "disagg-b200",
        (_away(_named("gpt-oss-disagg-frontend")),),
        failed(AWAY, "Frontend"),
        (
            f"keeps away from pods with {_GRAPH_NAME}=gpt-oss-disagg-frontend, which no pod of the graph "
            "carries",
            f"its own {_GRAPH_NAME} is gpt-oss-disagg",
        ),
    ),
    Case(
        AWAY,
        "a preferred term",
        "disagg-b200",
        (
            put(
                GRAPH,
                f"{_AFFINITY_OF_FRONTEND}.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
                f".podAffinityTerm.labelSelector.matchLabels[{_TYPE}]",
                "backend",
            ),
        ),
        failed(AWAY, "Frontend"),
        (f"{_TYPE}=backend",),
    ),
    Case(
        AWAY,
        "another graph, which another file may hold",
        "disagg-b200",
        (_away(_named("some-other-graph")),),
        undecided(AWAY, "Frontend"),
        ("another manifest's may",),
    ),
    Case(
        AWAY,
        "the graph's pods in another namespace",
        "disagg-b200",
        (_away(_named("gpt-oss-disagg"), namespaces=["elsewhere"]),),
        undecided(AWAY, "Frontend"),
    ),
    Case(
        AWAY,
        "the graph's pods in any namespace",
        "disagg-b200",
        (_away(_named("gpt-oss-disagg"), namespaceSelector={}),),
        frozenset(),
    ),
    Case(
        AWAY,
        "a label that the operator writes with a value of its own",
        "disagg-b200",
        (_away({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", "nvidia.com/selector": "something"}}),),
        undecided(AWAY, "Frontend"),
        ("is known only after the update",),
    ),
    Case(
        AWAY,
        "pods of the graph that are no workers",
        "disagg-b200",
        (
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
        frozenset(),
    ),
    Case(
        AWAY,
        "pods of the graph without a component, of which there is none",
        "disagg-b200",
        (
            _away(
                {
                    "matchLabels": {_GRAPH_NAME: "gpt-oss-disagg"},
                    "matchExpressions": [{"key": "nvidia.com/dynamo-component", "operator": "DoesNotExist"}],
                }
            ),
        ),
        failed(AWAY, "Frontend"),
    ),
    Case(
        AWAY,
        "an operator that label selectors do not have",
        "disagg-b200",
        (
            _away(
                {
                    "matchLabels": {_GRAPH_NAME: "gpt-oss-disagg"},
                    "matchExpressions": [{"key": "a", "operator": "Gt"}],
                }
            ),
        ),
        undecided(AWAY, "Frontend"),
        ("a label selector's operator is Gt",),
    ),
    Case(
        AWAY,
        "all pods of the namespace, itself among them",
        "disagg-b200",
        (_away({}),),
        frozenset(),
    ),
    Case(
        AWAY,
        "all pods of the namespace that are of no graph",
        "disagg-b200",
        (_away({"matchExpressions": [{"key": _GRAPH_NAME, "operator": "DoesNotExist"}]}),),
        undecided(AWAY, "Frontend"),
        ("pins no label of a manifest, so it may mean any other pod",),
    ),
    Case(
        BESIDE,
        "a type that no component of the graph has",
        "disagg-b200",
        (_beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "main"}}),),
        failed(BESIDE, DECODE),
        (
            f"must run beside a pod with {_GRAPH_NAME}=gpt-oss-disagg, {_TYPE}=main (by "
            "kubernetes.io/hostname)",
        ),
    ),
    Case(
        BESIDE,
        "such a type only preferred, without which the pod runs too",
        "disagg-b200",
        (
            put(
                GRAPH,
                f"spec.services.{DECODE}.extraPodSpec.affinity.podAffinity"
                ".preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector",
                {"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "main"}},
            ),
        ),
        frozenset(),
    ),
    Case(
        BESIDE,
        "itself",
        "disagg-b200",
        (_beside({"matchLabels": {_GRAPH_NAME: "gpt-oss-disagg", _TYPE: "decode"}}),),
        frozenset(),
    ),
    Case(
        BESIDE,
        "pods of somebody else",
        "disagg-b200",
        (_beside({"matchLabels": {"app": "cache"}}),),
        undecided(BESIDE, DECODE),
        ("no pod of what was read carries app=cache; another manifest's may",),
    ),
    Case(
        FRONTEND,
        "nodes with GPUs selected",
        "disagg-b200",
        (
            drop(GRAPH, f"{_AFFINITY_OF_FRONTEND}.nodeAffinity"),
            put(
                GRAPH,
                "spec.services.Frontend.extraPodSpec.nodeSelector",
                {"nvidia.com/gpu.product": "NVIDIA-B200"},
            ),
        ),
        failed(FRONTEND, "Frontend"),
        ("can land on a node with GPUs: it selects nvidia.com/gpu.product=NVIDIA-B200",),
    ),
    Case(
        FRONTEND,
        "the taint of nodes with GPUs tolerated",
        "disagg-b200",
        (
            drop(GRAPH, f"{_AFFINITY_OF_FRONTEND}.nodeAffinity"),
            put(GRAPH, "spec.services.Frontend.extraPodSpec.tolerations", [{"operator": "Exists"}]),
        ),
        failed(FRONTEND, "Frontend"),
        ("it tolerates the taint nvidia.com/gpu and does not select nodes without GPUs",),
    ),
    Case(
        FRONTEND,
        "no selection, and no word of taints",
        "disagg-b200",
        (drop(GRAPH, f"{_AFFINITY_OF_FRONTEND}.nodeAffinity"),),
        undecided(FRONTEND, "Frontend"),
        ("nothing says whether a taint keeps it off",),
    ),
    Case(
        FRONTEND,
        "no pool is known, and nodes with GPUs are excluded",
        "vllm-agg",
        (),
        undecided("worker-fits-node", "VllmWorker")
        | undecided("workers-fit-pool", "VllmWorker")
        | undecided("pod-selects-a-pool", "VllmWorker"),
        pools=(),
    ),
    Case(
        FRONTEND,
        "a pool whose taint keeps others off",
        "program-on-eks",
        (unset(EKS_GRAPH, "inputs.spec.components[0].podTemplate.spec.affinity"),),
        frozenset(),
    ),
    Case(
        FRONTEND,
        "a pool without a taint",
        "program-on-eks",
        (
            unset(EKS_GRAPH, "inputs.spec.components[0].podTemplate.spec.affinity"),
            unset("NodeGroup/b200", "inputs.taints"),
        ),
        failed(FRONTEND, "Frontend"),
        ("nothing keeps it off pool b200, which has no taint",),
    ),
    Case(
        SERVERS,
        "members of NATS wherever there is room",
        "disagg-b200",
        (drop("StatefulSet", "spec.template.spec.topologySpreadConstraints"),),
        failed(SERVERS, NATS),
        ("nothing keeps its 3 members on different nodes",),
    ),
    Case(
        SERVERS,
        "members kept apart by anti-affinity",
        "disagg-b200",
        (
            drop("StatefulSet", "spec.template.spec.topologySpreadConstraints"),
            put(
                "StatefulSet",
                "spec.template.spec.affinity.podAntiAffinity",
                {_REQUIRED: _term({"matchLabels": {"app.kubernetes.io/name": NATS}})},
            ),
        ),
        frozenset(),
    ),
    Case(
        SERVERS,
        "no budget for disruptions",
        "disagg-b200",
        (without("PodDisruptionBudget"),),
        failed(SERVERS, NATS),
        ("no PodDisruptionBudget selects its 3 members",),
    ),
    Case(
        SERVERS,
        "a budget that selects nothing of it",
        "disagg-b200",
        (put("PodDisruptionBudget", "spec.selector.matchLabels[app.kubernetes.io/name]", "etcd"),),
        failed(SERVERS, NATS),
    ),
    Case(
        SERVERS,
        "a single member, whom nothing can replace",
        "disagg-b200",
        (put("StatefulSet", "spec.replicas", 1), without("PodDisruptionBudget")),
        frozenset(),
    ),
)
