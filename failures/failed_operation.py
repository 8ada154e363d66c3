"""Explains an operation on a resource that failed, or a wait that cannot end well."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from components.cluster_answer import Objects
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_KIND, kind_named
from components.object_owner import owner_of, stack_owner
from failures.claims import unbound_claim
from failures.deletion import ended_by_deletion, undeleted
from failures.explanation import Explanation, Subject
from failures.pods_and_events import warnings_of
from failures.unready_workloads import (
    WEBHOOK_SIGNS,
    unchecked_graph,
    unfilled_nodes,
    unfinished_job,
    unfinished_release,
    unready_servers,
    unready_serving,
)
from resource_graph.printable import one_line

if TYPE_CHECKING:
    import pulumi

# The texts of pulumi-kubernetes 4.32 (provider/pkg/await, provider/pkg/provider/helm_release.go) for what did
# not come in time or can never come; `up` fails for other reasons too, which its own text says best.
_WAIT_SIGNS = (
    "timed out waiting",
    "Timeout occurred polling",
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "failed to initialize",
    "context deadline exceeded",
    "does not target any Pods",
    "Ingress .status.loadBalancer field was not updated",
)
_SILENT_SERVER_SIGNS = ("connection refused", "connection reset", "cluster is unreachable", "unexpected EOF")
# Of the provider's (pulumi-kubernetes 4.32, provider/pkg/await) and of Helm's own words.
_EXISTS_SIGNS = ("already exists", "cannot re-use a name that is still in use")
# k8s.io/kubernetes plugin/pkg/admission/namespace/lifecycle: what an API server says to a create there.
_NAMESPACE_ENDS = "because it is being terminated"
# The same server, once it is gone.
_NAMESPACE_GONE = re.compile(r'namespaces "([^"]+)" not found')
_CONFLICT_SIGN = "field conflict detected"
_RELEASE = "Release"
# An operator that starts anew is there in seconds, but through Dynamo 1.2 its pod is ready, and its release's
# upgrade over, before its webhook listens (ai-dynamo/dynamo#12255).
_WEBHOOK_PAUSES_SECONDS = (2, 4, 8, 16)


_Look = Callable[[ClusterReader, Subject], Explanation]


def _any_other(cluster: ClusterReader, subject: Subject) -> Explanation:
    where = ["--namespace", subject.namespace] if subject.namespace else []
    words = [subject.kind.lower(), subject.name, *where]
    return Explanation(
        title=f"{subject.kind} {subject.name}",
        waits_for="the cluster has done what it asks for",
        page="README",
        reasons=warnings_of(cluster, subject),
        look=cluster.command("describe", *words),
    )


_LOOKS: Mapping[str, _Look] = {
    "DaemonSet": unfilled_nodes,
    "Deployment": unready_serving,
    GRAPH_KIND: unready_serving,
    "Ingress": _any_other,
    "Job": unfinished_job,
    "PersistentVolume": _any_other,
    "PersistentVolumeClaim": unbound_claim,
    _RELEASE: unfinished_release,
    "Service": _any_other,
    "StatefulSet": unready_servers,
}
_DELETED = (
    *("ComputeDomain", "DaemonSet", "Deployment", GRAPH_KIND, "Job", "Namespace"),
    *("PersistentVolume", "PersistentVolumeClaim", "StatefulSet"),
)

EXPLAINED_KINDS = frozenset(_LOOKS) | frozenset(_DELETED)
"""Kinds for which a wait can end without what it waited for."""


def kind_of(resource_type: str) -> str:
    """Return the Kubernetes kind of a Pulumi type such as kubernetes:apps/v1:StatefulSet."""
    return resource_type.rsplit(":", 1)[-1] if resource_type.startswith("kubernetes:") else ""


def subject_of(kind: str, inputs: Mapping[str, Any]) -> Subject:
    """Return the object that these inputs of a resource ask for."""
    where = inputs if kind == _RELEASE else inputs.get("metadata") or {}
    return Subject(kind, str(where.get("name")), where.get("namespace"))


def explanation(cluster: ClusterReader, failed: "pulumi.ErrorHookArgs", stack: str = "STACK") -> str | None:
    """Return what to tell the person; None where the provider said it all.

    Args:
        cluster: what can be looked at.
        failed: the create, update or delete that failed, as the engine knows it.
        stack: name of the stack, for commands to type.

    """
    operation, error = failed.failed_operation, last_error(failed)
    # At a delete there are the old inputs alone.
    inputs = (failed.old_inputs if operation == "delete" else failed.new_inputs) or {}
    subject = subject_of(kind_of(failed.type), inputs)
    if _CONFLICT_SIGN in error.lower():
        return conflict_text(subject, stack)
    if operation == "create" and _has(error, _EXISTS_SIGNS):
        return _existing_text(cluster, subject, owner_of(inputs), stack)
    explained = _explanation(cluster, subject, operation, error)
    return explained.text() if explained else None


def last_error(failed: "pulumi.ErrorHookArgs") -> str:
    """Return the provider's last words."""
    return failed.errors[0] if failed.errors else ""


def ended_early(cluster: ClusterReader, subject: Subject, causes: Sequence[str]) -> str:
    """Return what to tell the person about a wait that `causes` keep from ever succeeding."""
    explained = _LOOKS.get(subject.kind, _any_other)(cluster, subject)
    others = [reason for reason in explained.reasons if reason not in causes]
    if ended_by_deletion(cluster, subject):
        # What does not work in there is no cause any more.
        explained, others = _going(cluster, subject, explained.title), []
    return replace(explained, reasons=[*causes, *others]).text(early=True)


def edit_command(kind: str, name: str, namespace: str | None) -> str:
    """Return the command with which a person sets a field of an object."""
    return f"kubectl edit {kind}/{name}" + (f" --namespace {namespace}" if namespace else "")


def conflict_text(subject: Subject, stack: str) -> str:
    """Return what to type to put fields that others own back, or to leave them; the error itself names both.

    A field whose value is the stack's again conflicts with no owner (docs/runbook/drift.md).
    """
    return "\n".join(
        [
            f"Somebody else has changed what this stack sets of {subject.kind} {subject.name}.",
            "The error below names the fields and their manager.",
            "It may be meant, so nothing is forced (docs/adr/0009-drift-and-field-conflicts.md).",
            f"See: dynamo-stack drift {stack}",
            f"What to do: to leave them, write their values into Pulumi.{stack}.yaml; to put them back, make "
            "that manager stop setting them, type the stack's values into "
            f"`{edit_command(subject.kind, subject.name, subject.namespace)}`, "
            f"then `pulumi up --refresh --stack {stack}`.",
            "Runbook: docs/runbook/drift.md",
        ]
    )


def pause_before_another_try(failed: "pulumi.ErrorHookArgs") -> int | None:
    """Return the seconds after which to try again; None where the operation has failed for good.

    Only what the cluster has not even looked at is tried again: what does not fit would hold its GPUs for
    another hour.
    """
    unchecked = failed.failed_operation != "delete" and _has(last_error(failed), WEBHOOK_SIGNS)
    tries = len(failed.errors)
    if not unchecked or tries > len(_WEBHOOK_PAUSES_SECONDS):
        return None
    return _WEBHOOK_PAUSES_SECONDS[tries - 1]


def _has(error: str, signs: Sequence[str]) -> bool:
    return any(sign in error for sign in signs)


def _explanation(cluster: ClusterReader, subject: Subject, operation: str, error: str) -> Explanation | None:
    if _has(error, WEBHOOK_SIGNS):
        return unchecked_graph(cluster, subject, error)
    if _has(error, _SILENT_SERVER_SIGNS):
        return Explanation(
            title=f"{subject.kind} {subject.name}",
            waits_for="the cluster's API server answers",
            page="api-server-restarted",
            reasons=["the API server did not answer; what was made so far is recorded"],
            look=cluster.command("get", "--raw", "/readyz"),
            then="once it answers `ok`, run `pulumi up` again: it continues from here",
        )
    if operation != "delete" and (explained := _deleted_meanwhile(cluster, subject, error)):
        return explained
    if not _has(error, _WAIT_SIGNS):
        return None
    if operation == "delete":
        return undeleted(cluster, subject) if subject.kind in _DELETED else None
    look = _LOOKS.get(subject.kind)
    return look(cluster, subject) if look else None


def _deleted_meanwhile(cluster: ClusterReader, subject: Subject, error: str) -> Explanation | None:
    """Explain that the object, or its namespace, is being deleted, so that no wait for it can end well."""
    gone = _NAMESPACE_GONE.search(error)
    if gone is None and not _has(error, (*_WAIT_SIGNS, _NAMESPACE_ENDS)):
        return None
    reasons = ended_by_deletion(cluster, subject)
    if gone and not reasons:
        reasons = [f"namespace {gone[1]} is gone: somebody has deleted it since this stack made it"]
    if not reasons:
        return None
    return replace(_going(cluster, subject, f"{subject.kind} {subject.name}"), reasons=reasons)


def _going(cluster: ClusterReader, subject: Subject, title: str) -> Explanation:
    return Explanation(
        title=title,
        waits_for="the cluster has done what it asks for",
        page="deletion-hangs",
        look=cluster.command("get", "namespace", str(subject.namespace), "--output", "yaml"),
        then="wait until it is gone, or mend what holds it; `pulumi up --refresh` then makes it again",
    )


def _existing_text(cluster: ClusterReader, subject: Subject, wanted: str | None, stack: str) -> str:
    """Return whose the object is that is there already, and what to type.

    The provider advises to import it, to delete it or to take over whatever exists: a claim holds the model,
    and another stack's object is not this one's to take.
    """
    title = f"{subject.kind} {subject.name}"
    # A release is whose its namespace is: Helm writes down nobody.
    if subject.kind == _RELEASE:
        subject = Subject("Namespace", str(subject.namespace), None)
    own = Objects(kind_named(subject.kind), subject.name, subject.namespace)
    owner = owner_of(cluster.find(own).first or {})
    is_own = owner is not None and owner in {wanted, stack_owner(stack)}
    if owner is None or is_own:
        whose = "it is this stack's own" if is_own else "it does not say whose it is"
        found = f"{title} exists already, and {whose}: a run may have been interrupted after it had made it."
        then = f"`dynamo-stack recover {stack}` shows what it takes over, and deletes nothing that holds data"
    else:
        found = f"{title} exists already, and belongs to {owner}."
        then = (
            f"give this stack names of its own in Pulumi.{stack}.yaml (serving.namespace, serving.name), and "
            "`platform: {kind: existing}` where a platform runs already"
        )
    lines = [
        one_line(found),
        f"What to do: {then}.",
        "Neither delete it nor import it by hand, and do not set upsertExistingObjects: that takes over "
        "whatever bears these names, also another stack's.",
        f"See: {cluster.shown(own, '--show-labels')}",
        "Runbook: docs/runbook/interrupted-run.md",
    ]
    return "\n".join(lines)
