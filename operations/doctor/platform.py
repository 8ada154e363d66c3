"""Dynamo's operator with its webhook, NATS and etcd, and the graph itself."""

from collections.abc import Iterator

from components.cluster_answer import labels_of
from components.dynamo_objects import GRAPHS
from failures.health import health_problems
from failures.pods_and_events import pod_causes
from operations.doctor.finding import Finding, Stage
from operations.doctor.view import View, since

_UNREADY_PAGE = "graph-never-ready"


def operator_findings(view: View) -> Iterator[Finding]:
    """Return why no graph is changed: no operator, one that is not ready, a webhook that does not answer."""
    if not view.target.served.by_dynamo or not view.operators.is_known:
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
    metadata, status = operator["metadata"], operator.get("status") or {}
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
        name, namespace = servers["metadata"]["name"], servers["metadata"]["namespace"]
        wanted = servers["spec"].get("replicas", 1)
        ready = (servers.get("status") or {}).get("readyReplicas", 0)
        if wanted and ready >= wanted:
            continue
        own = [pod for pod in view.platform_pods.items if pod["metadata"]["name"].startswith(f"{name}-")]
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


def graph_findings(view: View) -> Iterator[Finding]:
    """Return what is wrong with the graph, or the server, as the end of an `up` asks it."""
    target = view.target
    for problem in health_problems(view.cluster, target.served):
        # Volumes and pods are looked at more closely; of a graph that others made nobody knows the files.
        if (
            problem.is_silence
            or problem.about == "claim"
            or (problem.about == "pod" and not target.asked.stack)
        ):
            continue
        is_definition, is_unready = GRAPHS in problem.what, problem.page == _UNREADY_PAGE
        yield Finding(
            stage=Stage.OPERATOR if is_definition else Stage.GRAPH,
            about="definitions" if is_definition else "readiness" if is_unready else "graph",
            what=problem.what,
            since=since(view.serves.first or {}, "Ready"),
            setting="platform" if is_definition else "serving",
            command=problem.then.format(stack=target.asked.stack) if target.asked.stack else "",
            page=problem.page,
        )
