"""Parts of a stack that are going, or have lost their content, while everything else looks as it was."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from components.cluster_answer import CLAIMS, DEPLOYMENTS, JOBS, NAMESPACES, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_KIND, GRAPH_OBJECTS
from failures.deletion import holders, is_being_deleted, mounting_pods
from failures.explanation import Subject
from failures.health import ServingObjects

_CLAIM, _NAMESPACE = "PersistentVolumeClaim", "Namespace"


@dataclass(frozen=True, slots=True)
class Loss:
    """One of them that is going, or empty."""

    subject: Subject
    found: str
    """What was found, in a few words: "is being deleted"."""
    detail: str
    """Since when and by what, and what follows."""
    command: str = ""
    """The command to run before `pulumi up --refresh` can heal it; empty: none."""
    owner_acts: bool = False
    """Whether somebody else has to make it again before `pulumi up --refresh` can heal anything."""

    def __str__(self) -> str:
        """Return it as a sentence."""
        return f"{self.subject.kind} {self.subject.name} {self.found}{self.detail}"


@dataclass(frozen=True, slots=True)
class ClaimAndLosses:
    """The claim and the losses that the cluster has at these places."""

    claim: Mapping[str, Any] | None
    losses: tuple[Loss, ...]


def look(cluster: ClusterReader, objects: ServingObjects) -> ClaimAndLosses | None:
    """Return what is lost or being deleted; None where the cluster does not say.

    Each object is one question, and the first that nobody answers is the last.
    """
    found: list[Loss | None] = []
    for name in objects.namespaces:
        answer = cluster.ask(NAMESPACES, name)
        # An account that may read one namespace alone still reads the claim in it.
        if answer.said is Said.UNREACHABLE:
            return None
        found.append(_deleted(_NAMESPACE, answer.first))
    claim = None
    if objects.claim:
        answer = cluster.ask(CLAIMS, objects.claim, objects.namespace)
        job = cluster.ask(JOBS, str(objects.job), objects.namespace) if answer.is_known else answer
        if not answer.is_known or job.said is Said.UNREACHABLE:
            return None
        claim = answer.first
        found.append(_claim_loss(cluster, objects, claim, job.first))
    if objects.graph and objects.by_dynamo:
        graph = cluster.ask(GRAPH_OBJECTS, objects.graph, objects.namespace)
        found.append(_deleted(GRAPH_KIND, graph.first))
    return ClaimAndLosses(claim, tuple(loss for loss in found if loss))


def made_later(claim: Mapping[str, Any], job: Mapping[str, Any]) -> str | None:
    """Return why a complete Job says nothing of this claim's volume; None where it does.

    Both times are the control plane's own, and between the making of a claim and the end of its download lie
    minutes.
    """
    made = claim.get("metadata", {}).get("creationTimestamp")
    done = job.get("status", {}).get("completionTime")
    if not made or not done or datetime.fromisoformat(made) <= datetime.fromisoformat(done):
        return None
    return f" at {made}, after Job {job['metadata']['name']} was done at {done}"


def _claim_loss(
    cluster: ClusterReader,
    objects: ServingObjects,
    claim: Mapping[str, Any] | None,
    job: Mapping[str, Any] | None,
) -> Loss | None:
    subject = Subject(_CLAIM, str(objects.claim), objects.namespace)
    is_own = objects.own_claim
    again = (
        "`up --refresh` makes and fills it again"
        if is_own
        else "its owner, not this stack, makes and fills it again, and then `up --refresh` checks its files"
    )
    if claim is None:
        return None if is_own else Loss(subject, "is gone", f": {again}", owner_acts=True)
    if is_being_deleted(claim):
        pods = mounting_pods(cluster, claim)
        held = f", held by {', '.join(pods)}" if pods else ""
        found = "is being deleted"
        detail = (
            f" since {claim['metadata']['deletionTimestamp']}{held}: no new pod can mount it, and its files "
            f"go with the last that does; nothing takes that back. Once it is gone, {again}"
        )
    elif claim.get("status", {}).get("phase") == "Lost":
        found = "has lost its volume"
        detail = (
            f" {claim.get('spec', {}).get('volumeName')}, and with it the files: once it is gone, {again}"
        )
    else:
        said = made_later(claim, job or {})
        state = "the volume is empty" if is_own else "nobody has checked its files"
        found = "was made again" if is_own else "was made again by its owner"
        return Loss(subject, found, f"{said}: {state}; `up --refresh` runs the Job again") if said else None
    return Loss(subject, found, detail, _delete_command(cluster, objects), owner_acts=not is_own)


def _delete_command(cluster: ClusterReader, objects: ServingObjects) -> str:
    kind = GRAPH_OBJECTS if objects.by_dynamo else DEPLOYMENTS
    users = [f"{cluster.resource(kind)}/{objects.graph}"] if objects.graph else []
    # A pod that has ended holds the claim too, which is its owner's to delete.
    users += [f"job/{objects.job}", *([f"pvc/{objects.claim}"] if objects.own_claim else [])]
    return cluster.command(
        "delete", *users, "--namespace", objects.namespace, "--ignore-not-found", "--cascade=foreground"
    )


def _deleted(kind: str, live: Mapping[str, Any] | None) -> Loss | None:
    if live is None or not is_being_deleted(live):
        return None
    metadata, found = live["metadata"], holders(live)
    held = f", held by {'; '.join(found)}" if found else ""
    return Loss(
        Subject(kind, metadata["name"], metadata.get("namespace")),
        "is being deleted",
        f" since {metadata['deletionTimestamp']}{held}: nothing takes that back. Once it is gone, "
        "`up --refresh` makes it again (docs/runbook/deletion-hangs.md where it stays)",
    )
