"""Nodes with their GPUs, volumes and the download: what stands below the platform and the pods."""

from collections.abc import Iterator

from components.cluster_answer import KubernetesObject, labels_of
from components.gpu_nodes_ready import GPU_COUNT_LABEL
from failures.claims import claim_reasons
from failures.explanation import Subject
from failures.pods_and_events import condition_of, is_ready, why_lost
from failures.unready_workloads import unfinished_job, why_unusable
from operations.doctor.finding import Finding, Stage
from operations.doctor.view import View, since


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
        yield from _node(view, name, nodes.get(name), waits=waits)


def pool_findings(view: View) -> Iterator[Finding]:
    """Return pools with fewer nodes than the stack counts on, whichever they were."""
    for name, pool in view.target.pools.items() if view.nodes.is_known else ():
        found = [node for node in view.nodes.items if pool.has(node)]
        if len(found) < pool.nodes:
            selector = ",".join(f"{key}={value}" for key, value in sorted(pool.labels.items()))
            window = ""
            if block := pool.block:
                times = f"ends at {block.ends}" if block.ends else f"opened at {block.starts}"
                window = f"; its Capacity Block {block.id} {times}"
            yield Finding(
                stage=Stage.NODES,
                about=f"pool {name}",
                what=f"pool {name}: {len(found)} of {pool.nodes} nodes are in the cluster{window}",
                setting="nodePools",
                fix="`dynamo-stack preflight` says whether the block is over" if pool.block else "",
                command=view.cluster.command("get", "nodes", "--selector", selector),
                page="gpu-node-lost",
            )


def _node(view: View, name: str, node: KubernetesObject | None, *, waits: bool) -> Iterator[Finding]:
    gpus = GPU_COUNT_LABEL in labels_of(node) if node else True
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
    elif waits and node.get("spec", {}).get("unschedulable"):
        what = f"node {name} is cordoned, and a pod waits for a node"
        command = view.cluster.command("uncordon", name)
        yield found.model_copy(update={"what": what, "command": command})
    elif (count := labels_of(node).get(GPU_COUNT_LABEL)) and (why := why_unusable(node, count)):
        yield found.model_copy(
            update={"stage": Stage.GPUS, "what": why, "page": "gpu-nodes-not-joining", "evidence": (why,)}
        )


def volume_findings(view: View) -> Iterator[Finding]:
    """Return claims that are gone, going, or without a volume."""
    namespace = view.target.served.namespace
    for name, answer in view.claims.items():
        claim = answer.first
        subject = Subject("PersistentVolumeClaim", name, namespace)
        reasons = claim_reasons(view.cluster, subject) if claim else []
        if not answer.is_known or (claim and not reasons):
            continue
        what = reasons[0] if reasons else f"claim {name} is gone, and the model with it"
        metadata = claim["metadata"] if claim else {}
        ends = "deletionTimestamp" in metadata or (claim or {}).get("status", {}).get("phase") == "Lost"
        yield Finding(
            stage=Stage.VOLUME,
            about=f"claim {name}",
            what=what,
            since=metadata.get("deletionTimestamp") or metadata.get("creationTimestamp"),
            evidence=tuple(reasons[1:]),
            setting="modelCache",
            command=view.cluster.command("describe", "pvc", name, "--namespace", namespace),
            page="cache-lost" if ends or claim is None else "cache-volume-unbound",
        )


def download_findings(view: View) -> Iterator[Finding]:
    """Return the Job that fills the model cache where it has failed, or is at work."""
    job = view.job.first
    if job is None or (status := job.get("status") or {}).get("succeeded"):
        return
    told = unfinished_job(view.cluster, Subject("Job", str(view.target.job), view.target.served.namespace))
    state = "failed for good" if condition_of(job, "Failed") else "is not done"
    yield Finding(
        stage=Stage.DOWNLOAD,
        about="download",
        what="; ".join([f"the download of the model ({told.title}) {state}", *told.reasons[:1]]),
        since=since(job, "Failed", status="False") or status.get("startTime"),
        evidence=tuple(told.reasons),
        setting="modelCache",
        command=told.look,
        page=told.page,
    )
