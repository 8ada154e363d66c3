"""Nodes of frontends, and of the members of etcd and NATS."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import drop, put
from tests.rules.exports import unset

FRONTEND = "frontend-off-gpu-nodes"
GRAPH, EKS_GRAPH = "DynamoGraphDeployment", "DynamoGraphDeployment/graph"
NATS = "dynamo-nats"
_AFFINITY_OF_FRONTEND = "spec.services.Frontend.extraPodSpec.affinity"

CASES = (
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
        pools=(),
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
)
