"""GPU nodes that did not come, or came without their GPUs."""

from typing import Any

from components.cluster_reader import ClusterReader, KubernetesObject
from components.gpu_nodes_ready import BOUGHT, GPU_COUNT_LABEL, NODE_GROUP_LABEL
from failures.finding import Finding, Subject
from failures.pods import is_ready, pod_reasons

_GPUS = "nvidia.com/gpu"


def missing_gpu_nodes(cluster: ClusterReader, subject: Subject) -> Finding:
    """Return which nodes of a pool have not joined, are not Ready, or show too few GPUs."""
    where = ["--namespace", str(subject.namespace)]
    spec: dict[str, Any] = (cluster.get("deployment", subject.name, *where) or {}).get("spec", {})
    template: dict[str, Any] = spec.get("template", {})
    wanted: dict[str, str] = template.get("spec", {}).get("nodeSelector") or {}
    group, gpus = wanted.get(NODE_GROUP_LABEL, ""), wanted.get(GPU_COUNT_LABEL, "")
    words = ["nodes", "--selector", f"{NODE_GROUP_LABEL}={group}"]
    nodes = (cluster.items(*words) or []) if group else []
    reasons = [reason for node in nodes if (reason := _lacks(node, gpus))]
    expected = int(spec.get("replicas") or 0)
    if group and len(nodes) < expected:
        reasons.insert(0, f"{len(nodes)} of {expected} nodes of node group {group} have joined")
        bought: str = template.get("metadata", {}).get("annotations", {}).get(BOUGHT, "")
        if bought.startswith("cr-"):
            reasons.append(
                f"nothing starts in {bought} before its window opens or after its end: "
                "`dynamo-stack preflight` says which phase is due"
            )
    if not reasons:
        pods = ["pods", *where, "--selector", f"app.kubernetes.io/name={subject.name}"]
        reasons = pod_reasons(cluster.items(*pods) or [])
    return Finding(
        title=f"the nodes of pool {subject.name.removeprefix('gpu-nodes-ready-')}",
        waits_for=f"every node of the pool is Ready and shows {f'its {gpus}' if gpus else 'its'} GPUs",
        page="gpu-nodes-not-joining",
        reasons=reasons,
        look=cluster.command("get", *words, "--label-columns", GPU_COUNT_LABEL),
        then="mend that, then run `pulumi up` again: it waits for the nodes again, and no graph waits before",
    )


def _lacks(node: KubernetesObject, gpus: str) -> str | None:
    name, labels = node["metadata"]["name"], node["metadata"].get("labels") or {}
    if not is_ready(node):
        conditions = node.get("status", {}).get("conditions") or []
        said = next((each.get("message") for each in conditions if each["type"] == "Ready"), None)
        return f"node {name}: not Ready, {said or 'without a reason'}"
    shown, offered = labels.get(GPU_COUNT_LABEL), node.get("status", {}).get("allocatable", {}).get(_GPUS)
    if shown == gpus and offered == gpus:
        return None
    return (
        f"node {name}: Ready, but GPU feature discovery sees {shown or 'no'} and the device plugin offers "
        f"{offered or 'no'} GPUs of {gpus}"
    )
