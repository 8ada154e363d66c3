"""Parts of a stack that are going, or have lost their content, while everything else looks as it was."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from components.cluster_answer import CLAIMS, JOBS, NAMESPACES, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_KIND, GRAPH_OBJECTS
from failures.deletion import holders, is_being_deleted, mounting_pods
from failures.explanation import Subject

_CLAIM, _JOB, _NAMESPACE = "PersistentVolumeClaim", "Job", "Namespace"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Places:
    """The objects whose loss is not seen in their fields."""

    namespaces: tuple[str, ...]
    namespace: str
    """The namespace of the claim, its Job and the graph."""
    claim: str | None = None
    """The model cache's claim; None where the model lies elsewhere, or in another stack."""
    job: str | None = None
    """The Job that filled or checked it."""
    graph: str | None = None
    own_claim: bool = True
    """Whether the stack makes the claim."""


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

    def __str__(self) -> str:
        """Return it as a sentence."""
        return f"{self.subject.kind} {self.subject.name} {self.found}{self.detail}"


@dataclass(frozen=True, slots=True)
class ClaimAndLosses:
    """The claim and the losses that the cluster has at these places."""

    claim: Mapping[str, Any] | None
    losses: tuple[Loss, ...]


def look(cluster: ClusterReader, places: Places) -> ClaimAndLosses | None:
    """Return what is lost or being deleted; None where the cluster does not say.

    Each place is one question, and the first that nobody answers is the last.
    """
    wanted = [(_NAMESPACE, NAMESPACES, name, None) for name in places.namespaces]
    wanted += [(_CLAIM, CLAIMS, places.claim, places.namespace)] if places.claim else []
    wanted += [(_JOB, JOBS, places.job, places.namespace)] if places.job else []
    live: dict[tuple[str, str | None], Mapping[str, Any]] = {}
    for title, kind, name, namespace in wanted:
        answer = cluster.ask(kind, name, namespace)
        # An account that may read one namespace alone still reads the claim in it.
        if not answer.is_known and (kind is CLAIMS or answer.said is Said.UNREACHABLE):
            return None
        if answer.first:
            live[title, name] = answer.first
    claim = live.get((_CLAIM, places.claim))
    found = [_deleted(_NAMESPACE, live.get((_NAMESPACE, name), {})) for name in places.namespaces]
    found += _claim_losses(cluster, places, claim, live.get((_JOB, places.job)))
    if places.graph:
        graph = cluster.ask(GRAPH_OBJECTS, places.graph, places.namespace).first
        found.append(_deleted(GRAPH_KIND, graph or {}))
    return ClaimAndLosses(claim, tuple(loss for loss in found if loss))


def emptied(claim: Mapping[str, Any], job: Mapping[str, Any]) -> str | None:
    """Return why a complete Job says nothing of this claim's volume; None where it does.

    Both times are the control plane's own, and between the making of a claim and the end of its download lie
    minutes.
    """
    made = claim.get("metadata", {}).get("creationTimestamp")
    done = job.get("status", {}).get("completionTime")
    if not made or not done or datetime.fromisoformat(made) <= datetime.fromisoformat(done):
        return None
    return f" at {made}, after Job {job['metadata']['name']} was done at {done}: the volume is empty"


def _claim_losses(
    cluster: ClusterReader,
    places: Places,
    claim: Mapping[str, Any] | None,
    job: Mapping[str, Any] | None,
) -> Iterator[Loss]:
    if places.claim is None:
        return
    subject = Subject(_CLAIM, places.claim, places.namespace)
    if claim is None:
        if not places.own_claim:
            yield Loss(subject, "is gone", ": it is not this stack's, so its owner makes and fills it again")
        return
    if is_being_deleted(claim):
        yield _deleted_claim(cluster, places, claim)
    elif claim.get("status", {}).get("phase") == "Lost":
        volume = claim.get("spec", {}).get("volumeName")
        yield Loss(
            subject,
            "has lost its volume",
            f" {volume}, and with it the files: once it is gone, `up --refresh` makes and fills it again",
            _delete_command(cluster, places),
        )
    elif said := emptied(claim, job or {}):
        yield Loss(subject, "was made again", f"{said}; `up --refresh` runs the Job again")


def _deleted_claim(cluster: ClusterReader, places: Places, claim: Mapping[str, Any]) -> Loss:
    pods = mounting_pods(cluster, claim)
    more = f" and {len(pods) - _SHOWN} more" if len(pods) > _SHOWN else ""
    held = f", held by {', '.join(pods[:_SHOWN])}{more}" if pods else ""
    return Loss(
        Subject(_CLAIM, str(places.claim), places.namespace),
        "is being deleted",
        f" since {claim['metadata']['deletionTimestamp']}{held}: no new pod can mount it, and its files go "
        "with the last that does; nothing takes that back. Once it is gone, `up --refresh` makes and fills "
        "it anew",
        _delete_command(cluster, places),
    )


def _delete_command(cluster: ClusterReader, places: Places) -> str:
    users = [f"{cluster.resource(GRAPH_OBJECTS)}/{places.graph}"] if places.graph else []
    # A pod that has ended holds the claim too.
    users += [f"job/{places.job}"] if places.job else []
    where = ["--namespace", places.namespace, "--ignore-not-found", "--cascade=foreground"]
    return cluster.command("delete", *users, f"pvc/{places.claim}", *where)


def _deleted(kind: str, live: Mapping[str, Any]) -> Loss | None:
    if not is_being_deleted(live):
        return None
    metadata = live["metadata"]
    held = f", held by {'; '.join(holders(live))}" if holders(live) else ""
    return Loss(
        Subject(kind, metadata["name"], metadata.get("namespace")),
        "is being deleted",
        f" since {metadata['deletionTimestamp']}{held}: nothing takes that back. Once it is gone, "
        "`up --refresh` makes it again (docs/runbook/deletion-hangs.md where it stays)",
    )
