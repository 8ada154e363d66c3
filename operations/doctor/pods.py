"""Pods of a deployment that are not ready, and those that have ended a short time ago."""

import datetime as dt
from collections.abc import Iterator

from components.cluster_answer import KubernetesObject
from failures.deletion import holders, is_being_deleted
from failures.pods_and_events import container_statuses, is_ready, pod_causes, refused_pods
from operations.doctor.finding import Finding, Stage, signature_of
from operations.doctor.view import View, name_of, since
from operations.smoke.graph_pods import log_command

_RECENT = dt.timedelta(minutes=15)
_CONFIRMED = dt.timedelta(seconds=30)
"""After the end of a pod's grace period, until its node has confirmed its end."""


def pod_findings(view: View, now: dt.datetime) -> Iterator[Finding]:
    """Return pods that do not serve, with what Kubernetes, events and logs say of them."""
    for pod in view.live_pods:
        if is_being_deleted(pod) and not is_ending(pod, now):
            yield _held(view, pod)
    unready = [pod for pod in view.live_pods if not is_ready(pod) and not is_being_deleted(pod)]
    for text, pod in zip(pod_causes(view.cluster, unready), unready, strict=True):
        yield _finding(view, pod, text)


def missing_findings(view: View) -> Iterator[Finding]:
    """Return pods that the API server refuses, and roles that no pod has: none was made, or asked for."""
    for why in refused_pods(view.cluster, view.served.graph, view.served.namespace):
        yield Finding(
            stage=Stage.GRAPH,
            about="refused pods",
            what=f"a pod is not let in: {why}",
            setting="serving",
            fix="lift what the message names; Kubernetes tries again by itself, within 17 minutes",
            command=view.cluster.command("get", "events", "--namespace", view.served.namespace),
            page="graph-never-ready",
        )
    pods = view.asked.pods
    for role in view.roles:
        if pods and view.serves.first and not view.of_role(role):
            absent = pods.why_absent((role,))
            yield Finding(
                stage=Stage.GRAPH,
                about=f"role {role}",
                what=absent.found or f"the graph has no component for {role}",
                setting=f"serving.replicas.{role}",
                command=absent.fix,
                page="graph-never-ready",
            )


def is_ending(pod: KubernetesObject, now: dt.datetime) -> bool:
    """Whether the pod was told to end, and its time for that is not over."""
    until = pod["metadata"].get("deletionTimestamp")
    return bool(until) and now < dt.datetime.fromisoformat(until) + _CONFIRMED


def lost_files(view: View) -> Iterator[str]:
    """Return the ConfigMaps that are gone while pods that have read them run on."""
    stack = view.asked.stack
    for name, answer in view.files.items():
        if answer.is_known and answer.first is None:
            # A stack makes the engine's files as its settings are now, and no other file.
            is_own = stack and name == view.served.engine_files
            again = f"`pulumi up --refresh --stack {stack}` makes it again" if is_own else "make it again"
            yield f"ConfigMap {name} is gone: its pods run on, and none of them starts anew; {again}"


def recent_ends(view: View, now: dt.datetime) -> Iterator[str]:
    """Return which pods run again after a container of theirs ended, the last one first."""
    ends: list[tuple[dt.datetime, str]] = []
    for pod in filter(is_ready, [*view.live_pods, *view.platform_pods.items]):
        for status in container_statuses(pod):
            ended = (status.get("lastState") or {}).get("terminated") or {}
            if not (finished := ended.get("finishedAt")):
                continue
            moment = dt.datetime.fromisoformat(finished)
            if now - moment <= _RECENT:
                seconds = max(int((now - moment).total_seconds()), 0)
                ends.append((moment, f"{name_of(pod)} {_end(ended)} {seconds} s ago and runs again"))
    yield from (text for _, text in sorted(ends, reverse=True))
    yield from (f"{name_of(pod)} is being ended" for pod in view.live_pods if is_ending(pod, now))
    for pod in view.pods.items:
        ended = since(pod, "Ready")
        status = pod.get("status") or {}
        # A pod has a reason where the cluster ended it, and none where its own containers failed.
        has_failed = status.get("phase") == "Failed" and status.get("reason")
        if has_failed and ended and now - dt.datetime.fromisoformat(ended) <= _RECENT:
            yield " ".join(f"{name_of(pod)} ended: {has_failed}, {status.get('message', '')}".split())


def _finding(view: View, pod: KubernetesObject, text: str) -> Finding:
    metadata = pod["metadata"]
    described = view.cluster.command(
        "describe", "pod", metadata["name"], "--namespace", metadata["namespace"]
    )
    found = Finding(
        stage=Stage.START if pod.get("spec", {}).get("nodeName") else Stage.SCHEDULING,
        about=name_of(pod),
        what=_state(pod, text),
        since=since(pod, "PodScheduled") or since(pod, "Ready") or metadata.get("creationTimestamp"),
        evidence=(text.partition(": ")[2],),
        command=log_command(view.cluster, pod) or described,
        page="graph-never-ready",
    )
    if known := signature_of(text):
        said = {"what": f"{name_of(pod)}: {known.means}", **known.advice(view.asked.stack)}
        return found.model_copy(update=said)
    return found


def _held(view: View, pod: KubernetesObject) -> Finding:
    metadata = pod["metadata"]
    held = holders(pod) or [f"its node {pod['spec'].get('nodeName')} has not confirmed its end"]
    where = ("--namespace", metadata["namespace"])
    return Finding(
        stage=Stage.SCHEDULING,
        about=name_of(pod),
        what=f"{name_of(pod)} should be gone, and keeps its place: {held[0]}",
        since=metadata["deletionTimestamp"],
        evidence=tuple(held[1:]),
        fix="let the program that holds it finish; where it cannot, see what runs on the node first",
        command=view.cluster.command("describe", "pod", metadata["name"], *where),
        page="deletion-hangs",
    )


def _state(pod: KubernetesObject, text: str) -> str:
    """What the pod does, in a few words; its evidence says the rest."""
    states = [each for each in container_statuses(pod) if "terminated" not in (each.get("state") or {})]
    for status in states:
        if ended := (status.get("lastState") or {}).get("terminated"):
            return f"{name_of(pod)} {_end(ended)} and is started again"
    if states and all("running" in (each.get("state") or {}) for each in states):
        return f"{name_of(pod)} is starting: it runs, and is not ready yet"
    return f"pod {text}"


def _end(ended: KubernetesObject) -> str:
    reason = ended.get("reason")
    return f"ended with exit code {ended.get('exitCode')}" + (f" ({reason})" if reason else "")
