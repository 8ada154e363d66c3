"""What stands below the pods: nodes with GPUs, volumes, the download, the operator, servers and graph."""

from collections.abc import Iterator, Sequence

from components.cluster_answer import SERVICES, KubernetesObject, condition_of, labels_of
from components.dynamo_objects import FRONTEND, frontend_service
from components.gpu_nodes_ready import GPU_COUNT_LABEL
from failures.claims import claim_reasons
from failures.deletion import ended_by_deletion
from failures.explanation import Subject
from failures.health import health_problems
from failures.pods_and_events import gpus_in, is_ready, pod_causes, why_lost
from failures.unready_workloads import unfinished_job, why_unusable
from operations.doctor.finding import Finding, Stage
from operations.doctor.view import View, since
from operations.smoke.graph_pods import component_of
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


def volume_findings(view: View) -> Iterator[Finding]:
    """Return claims that are gone, going, or without a volume."""
    namespace = view.served.namespace
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
    told = unfinished_job(view.cluster, Subject("Job", str(view.served.job), view.served.namespace))
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


def operator_findings(view: View) -> Iterator[Finding]:
    """Return why no graph is changed: no operator, one that is not ready, a webhook that does not answer."""
    if not view.served.by_dynamo or not view.operators.is_known:
        return
    found = Finding(
        stage=Stage.OPERATOR,
        about="operator",
        what="the Dynamo operator is gone: nobody acts on changes of graphs",
        setting="platform",
        command=view.cluster.command("get", "deployments", "--all-namespaces"),
        page="operator-gone",
    )
    if not view.operators.items:
        yield found
        return
    operator = view.operators.items[0]
    metadata = operator["metadata"]
    status = operator.get("status") or {}
    where = ("--namespace", metadata["namespace"])
    if not status.get("readyReplicas"):
        labels = operator["spec"].get("selector", {}).get("matchLabels") or {}
        pods = [pod for pod in view.platform_pods.items if labels.items() <= labels_of(pod).items()]
        reasons = tuple(pod_causes(view.cluster, pods))
        state = "is not ready" if pods else "has no pod: somebody scaled it down or deleted it"
        yield found.model_copy(
            update={
                "what": "; ".join([f"the Dynamo operator {state}", *reasons[:1]]),
                "since": since(operator, "Available"),
                "evidence": reasons,
                "command": view.cluster.command("get", "deployments,pods", *where),
            }
        )
    elif view.unconverted:
        update = {
            "what": "the operator's webhook does not answer, and no graph can be read or changed",
            "evidence": (view.unconverted,),
            "command": view.cluster.command("get", "endpointslices", *where),
            "page": "webhook-down",
        }
        yield found.model_copy(update=update)


def server_findings(view: View) -> Iterator[Finding]:
    """Return members of NATS and etcd that are not ready."""
    for servers in view.databases():
        name = servers["metadata"]["name"]
        namespace = servers["metadata"]["namespace"]
        wanted = servers["spec"].get("replicas", 1)
        ready = (servers.get("status") or {}).get("readyReplicas", 0)
        if wanted and ready >= wanted:
            continue
        own = view.members(name)
        reasons = tuple(pod_causes(view.cluster, own))
        # With a majority they serve on, and pods that do not start have another cause.
        serves = wanted > 0 and ready > wanted // 2
        rest = "the others serve on" if serves else "no pod of a graph starts without them"
        missing = f"{wanted - ready} of {wanted} members are not ready" if wanted else "it is scaled to 0"
        yield Finding(
            stage=Stage.SERVERS,
            about=f"a member of {name}" if serves else name,
            what=f"{name}: {missing}; {rest}",
            since=next((found for pod in own if (found := since(pod, "Ready"))), None),
            evidence=reasons,
            setting="platform",
            command=view.cluster.command("get", "pods", "--namespace", namespace, "--output", "wide"),
            page=f"{'etcd' if 'etcd' in name else 'nats'}-member-lost",
        )


def service_findings(view: View) -> Iterator[Finding]:
    """Return Services of the frontend, NATS and etcd that lead to none of the pods behind them."""
    frontend, others = frontend_service(view.served.graph), not view.asked.stack
    ways = [(frontend, view.served.namespace, view.of_role(view.roles[0]))]
    for each in view.databases():
        name = each["metadata"]["name"]
        ways.append((name, each["metadata"]["namespace"], view.members(name)))
    for name, where, pods in ways:
        answer = view.cluster.ask(SERVICES, name, where) if pods else None
        if answer is None or not answer.is_known:
            continue
        service = answer.first
        if service is None and (name != frontend or (others and FRONTEND not in map(component_of, pods))):
            # Not every chart names it after the StatefulSet; the operator names it after the component.
            continue
        selector = ((service or {}).get("spec") or {}).get("selector") or {}
        if service and any(selector.items() <= labels_of(pod).items() for pod in pods):
            continue
        by_operator = name == frontend and view.served.by_dynamo
        again = f"{'delete it and ' if service else ''}restart the operator, which makes it again"
        put_back = "" if others else "`dynamo-stack drift` prints the command that puts it back"
        yield Finding(
            stage=Stage.SERVERS,
            about=f"service {name}",
            what=f"Service {name} {'selects none of its pods' if service else 'is gone'}",
            evidence=tuple(f"selector: {key}={value}" for key, value in selector.items()),
            setting="serving" if name == frontend else "platform",
            fix=again if by_operator else put_back,
            command=view.cluster.command("get", "services", "--namespace", where, "--output", "wide"),
            page="graph-never-ready" if by_operator else "drift",
        )


def graph_findings(view: View) -> Iterator[Finding]:
    """Return what is wrong with the graph, or the server, as the end of an `up` asks it."""
    # As long as the graph is not deleted itself, nothing of it says that its namespace is.
    namespace = view.served.namespace
    if ended := ended_by_deletion(view.cluster, Subject("Namespace", namespace, namespace)):
        yield Finding(
            stage=Stage.GRAPH,
            about="namespace",
            what=ended[0],
            evidence=tuple(ended[1:]),
            setting="serving.namespace",
            fix="once it is gone, `pulumi up --refresh` makes it again" if view.asked.stack else "",
            command=view.cluster.command("get", "namespace", namespace, "--output", "yaml"),
            page="deletion-hangs",
        )
    for problem in health_problems(view.cluster, view.served):
        # Volumes and pods are looked at more closely; of a graph that others made nobody knows the files.
        about = problem.about
        if about in {"claim", "silence"} or (about == "pod" and not view.asked.stack):
            continue
        is_definition = about == "definitions"
        yield Finding(
            stage=Stage.OPERATOR if is_definition else Stage.GRAPH,
            about="readiness" if about == "pod" else about,
            what=problem.what,
            since=since(view.serves.first or {}, "Ready"),
            setting="platform" if is_definition else "serving",
            command=problem.then.format(stack=view.asked.stack) if view.asked.stack else "",
            page=problem.page,
        )
