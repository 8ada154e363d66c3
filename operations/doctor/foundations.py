"""What stands below the pods, on nodes: volumes, the download, the operator, servers, Services and graph."""

from collections.abc import Iterator, Sequence

from components.cluster_answer import SERVICES, KubernetesObject, condition_of, labels_of
from components.dynamo_objects import FRONTEND, frontend_service
from failures.claims import claim_reasons
from failures.deletion import ended_by_deletion
from failures.explanation import Subject
from failures.health import health_problems
from failures.pods_and_events import pod_causes
from failures.unready_workloads import unfinished_job
from operations.doctor.finding import Finding, Stage
from operations.doctor.view import View, since
from operations.smoke.graph_pods import component_of


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
    operator = view.operators.first
    if operator is None:
        yield found
        return
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


def database_service_findings(view: View) -> Iterator[Finding]:
    """Return Services of NATS and etcd that lead to none of their members."""
    for database in view.databases():
        name, namespace = database["metadata"]["name"], database["metadata"]["namespace"]
        members = view.members(name)
        service = view.cluster.ask(SERVICES, name, namespace).first
        # Not every chart names it after the StatefulSet.
        if service and members and (found := _astray(view, name, namespace, service, members)):
            yield found


def frontend_service_findings(view: View) -> Iterator[Finding]:
    """Return the Service of the frontend, or of a server without Dynamo, that leads to no pod of it."""
    name, namespace = frontend_service(view.served.graph), view.served.namespace
    pods = view.of_role(view.asked.answers)
    answer = view.cluster.ask(SERVICES, name, namespace)
    # The operator names it after the component, which others may have called otherwise.
    is_named = answer.first or view.asked.stack or FRONTEND in map(component_of, pods)
    if not (pods and answer.is_known and is_named):
        return
    if found := _astray(view, name, namespace, answer.first, pods):
        again = f"{'delete it and ' if answer.first else ''}restart the operator, which makes it again"
        by_operator = {"fix": again, "page": "graph-never-ready"} if view.served.by_dynamo else {}
        yield found.model_copy(update={"setting": "serving", **by_operator})


def _astray(
    view: View,
    name: str,
    namespace: str,
    service: KubernetesObject | None,
    pods: Sequence[KubernetesObject],
) -> Finding | None:
    """Return that a Service is gone, or leads to none of these pods; what a stack has made it puts back."""
    selector = ((service or {}).get("spec") or {}).get("selector") or {}
    if service and any(selector.items() <= labels_of(pod).items() for pod in pods):
        return None
    has_stack = view.asked.stack is not None
    return Finding(
        stage=Stage.SERVERS,
        about=f"service {name}",
        what=f"Service {name} {'selects none of its pods' if service else 'is gone'}",
        evidence=tuple(f"selector: {key}={value}" for key, value in selector.items()),
        setting="platform",
        fix="`dynamo-stack drift` prints the command that puts it back" if has_stack else "",
        command=view.cluster.command("get", "services", "--namespace", namespace, "--output", "wide"),
        page="drift" if has_stack else "graph-never-ready",
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
