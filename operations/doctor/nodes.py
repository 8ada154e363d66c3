"""Nodes that are lost, offer too few GPUs or take no pod, and pools that have lost one."""

from collections.abc import Iterator, Sequence

from components.cluster_answer import KubernetesObject, labels_of
from components.gpu_nodes_ready import GPU_COUNT_LABEL
from failures.pods_and_events import gpus_in, is_ready, why_lost
from failures.unready_workloads import why_unusable
from operations.doctor.finding import Finding, Stage
from operations.doctor.view import View, since
from stacks.settings.cluster import CapacityBlock


def node_findings(view: View) -> Iterator[Finding]:
    """Return nodes that are lost, offer too few GPUs, or take no new pod while one waits."""
    if not view.nodes.is_known:
        return
    pods = [*view.live_pods, *view.live_platform_pods]
    nodes = {str(node["metadata"]["name"]): node for node in view.nodes.items}
    used = [str(name) for pod in pods if (name := pod.get("spec", {}).get("nodeName"))]
    waits = any(not pod.get("spec", {}).get("nodeName") for pod in view.live_pods)
    free = [str(node["metadata"]["name"]) for node in view.gpu_nodes() if waits]
    for name in dict.fromkeys([*used, *free]):
        yield from _node(view, name, nodes.get(name))


def pool_findings(view: View) -> Iterator[Finding]:
    """Return pools with fewer nodes than the stack counts on, whichever they were."""
    bought = {nodes.pool.name: nodes.purchase for nodes in view.stack.gpu_nodes} if view.stack else {}
    for pool in view.pools if view.nodes.is_known else ():
        name, found, block = pool.name, view.nodes_of(pool), bought.get(pool.name)
        if len(found) < pool.nodes:
            selector = ",".join(f"{key}={value}" for key, value in sorted(pool.node_selector.items()))
            keys = ",".join(sorted(pool.node_selector))
            window, fix = "", ""
            if isinstance(block, CapacityBlock):
                fix = "`dynamo-stack preflight` says whether the block is over"
                times = f"ends at {block.ends}" if block.ends else f"opened at {block.starts}"
                window = f"; its Capacity Block {block.id} {times}"
            count = f"{len(found)} of {pool.nodes} nodes with its labels are in the cluster"
            yield Finding(
                stage=Stage.NODES,
                about=f"pool {name}",
                what=f"pool {name}: {count}{window}",
                evidence=(f"its labels: {selector}",),
                setting="nodePools",
                fix=fix,
                command=view.cluster.command("get", "nodes", "--label-columns", keys),
                page="gpu-node-lost",
            )


def _node(view: View, name: str, node: KubernetesObject | None) -> Iterator[Finding]:
    gpus = node is None or GPU_COUNT_LABEL in labels_of(node) or node in view.gpu_nodes()
    shown = view.cluster.command("describe", "node", name) if node else view.cluster.command("get", "nodes")
    page = "gpu-node-lost" if gpus else "system-node-lost"
    found = Finding(
        stage=Stage.NODES,
        about=f"node {name}",
        what="",
        setting="nodePools" if gpus else "",
        command=shown,
        page=page,
    )
    if node is None or not is_ready(node):
        why = why_lost(node)
        started = since(node or {}, "Ready")
        yield found.model_copy(update={"what": f"node {name}: {why}", "since": started, "evidence": (why,)})
    elif (waiting := _waiting_for(view, node, gpus=gpus)) and node.get("spec", {}).get("unschedulable"):
        what = f"node {name} is cordoned, and a pod waits for a node"
        command = view.cluster.command("uncordon", name)
        yield found.model_copy(update={"what": what, "command": command})
    elif taint := _untolerated(node, waiting if gpus and view.pools else ()):
        what = f"node {name} has the taint {taint}, and a pod that waits for a node does not tolerate it"
        # A controller sets such a taint, and takes it away once the node is well.
        own = taint.startswith("node.kubernetes.io/")
        fix = "" if own else "see who set it and why; where nobody needs it, the command removes it"
        command = shown if own else view.cluster.command("taint", "nodes", name, f"{taint}-")
        yield found.model_copy(update={"what": what, "fix": fix, "command": command})
    elif (count := labels_of(node).get(GPU_COUNT_LABEL)) and (why := why_unusable(node, count)):
        yield found.model_copy(
            update={"stage": Stage.GPUS, "what": why, "page": "gpu-nodes-not-joining", "evidence": (why,)}
        )


def _waiting_for(view: View, node: KubernetesObject, *, gpus: bool) -> list[KubernetesObject]:
    """Return the pods without a node that a node of this kind is for."""
    labels = labels_of(node)
    return [
        pod
        for pod in view.live_pods
        if not pod["spec"].get("nodeName")
        and (pod["spec"].get("nodeSelector") or {}).items() <= labels.items()
        and gpus == any(map(_asks_for_gpus, pod["spec"]["containers"]))
    ]


def _asks_for_gpus(container: KubernetesObject) -> bool:
    resources = container.get("resources") or {}
    return bool(resources.get("claims")) or gpus_in(resources.get("limits") or {}) > 0


def _untolerated(node: KubernetesObject, pods: Sequence[KubernetesObject]) -> str:
    """Return a taint of the node that keeps one of the pods off it; empty where there is none."""
    for taint in node.get("spec", {}).get("taints") or ():
        if taint["effect"] != "PreferNoSchedule" and not all(_tolerates(pod, taint) for pod in pods):
            return f"{taint['key']}:{taint['effect']}"
    return ""


def _tolerates(pod: KubernetesObject, taint: KubernetesObject) -> bool:
    """Whether it tolerates such a taint; whatever its value, so that none is blamed wrongly."""
    return any(
        all(each.get(key, taint[key]) == taint[key] for key in ("key", "effect"))
        for each in pod["spec"].get("tolerations") or []
    )
