"""A Job that did not complete, servers that did not become ready, a Helm release that did not install."""

from components.cluster_reader import ClusterReader
from failures.finding import Finding, Subject
from failures.pods import lost_node_reasons, pod_reasons
from failures.storage import PAGE as CLAIM_PAGE
from failures.storage import mounted_claims


def unfinished_job(cluster: ClusterReader, subject: Subject) -> Finding:
    """Return why the Job that fills or checks the model cache is not complete."""
    words = ["pods", *_in(subject), "--selector", f"batch.kubernetes.io/job-name={subject.name}"]
    pods = cluster.items(*words) or []
    job = cluster.get("job", subject.name, *_in(subject)) or {}
    failed = [
        f"it failed for good: {condition.get('reason')}, {condition.get('message', '')}"
        for condition in job.get("status", {}).get("conditions") or []
        if condition["type"] == "Failed" and condition["status"] == "True"
    ]
    unfinished = [pod for pod in pods if pod.get("status", {}).get("phase") != "Succeeded"]
    claims = mounted_claims(cluster, subject, unfinished)
    return Finding(
        title=f"Job {subject.name}",
        waits_for="the model cache holds every file",
        page=CLAIM_PAGE if claims else "download-failed",
        reasons=[*failed, *claims, *pod_reasons(unfinished)],
        look=cluster.command("logs", *words[1:], "--prefix", "--tail=20"),
        then=(
            "mend that, then run `pulumi up` again: it replaces the Job, and what is on the volume "
            "is not downloaded twice"
        ),
    )


def unfilled_nodes(cluster: ClusterReader, subject: Subject) -> Finding:
    """Return why some node has no copy of the model."""
    words = ["pods", *_in(subject), "--selector", f"app.kubernetes.io/name={subject.name}"]
    pods = cluster.items(*words) or []
    lost = lost_node_reasons(cluster.items("nodes") or [], pods)
    return Finding(
        title=f"DaemonSet {subject.name}",
        waits_for="every GPU node has a copy of the model",
        page="gpu-node-lost" if lost else "download-failed",
        reasons=[*lost, *pod_reasons(pods)],
        look=cluster.command("logs", *words[1:], "--all-containers", "--prefix", "--tail=20"),
        then=(
            "mend that; its pods try again by themselves, and `pulumi up` waits for them again: what is on a "
            "node is not downloaded twice"
        ),
    )


def unready_servers(cluster: ClusterReader, subject: Subject) -> Finding:
    """Return why members of NATS or etcd are not ready."""
    words = ["pods", *_in(subject), "--selector", f"app.kubernetes.io/name={subject.name}"]
    pods = cluster.items(*words) or []
    lost = lost_node_reasons(cluster.items("nodes") or [], pods)
    kind = "etcd" if subject.name.endswith("etcd") else "nats"
    return Finding(
        title=f"servers {subject.name}",
        waits_for="every member runs and is ready",
        page="system-node-lost" if lost else f"{kind}-member-lost",
        reasons=[*lost, *mounted_claims(cluster, subject, pods), *pod_reasons(pods)],
        look=cluster.command("get", *words, "--output", "wide"),
    )


def unfinished_release(cluster: ClusterReader, subject: Subject) -> Finding:
    """Return why the platform's Helm release is not complete."""
    words = ["pods", *_in(subject), "--selector", f"app.kubernetes.io/instance={subject.name}"]
    pods = cluster.items(*words) or []
    return Finding(
        title=f"Helm release {subject.name}",
        waits_for="its operator and what the chart brings along are ready",
        page="operator-gone",
        reasons=[*mounted_claims(cluster, subject, pods), *pod_reasons(pods)],
        look=cluster.command("get", *words),
    )


def _in(subject: Subject) -> list[str]:
    return ["--namespace", str(subject.namespace)]
