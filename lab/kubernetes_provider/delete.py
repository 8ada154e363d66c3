"""Delete: a DELETE with its propagation policy, and the wait until the object is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import checkpoint, object_annotations
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.errors import InitializationError, NoMatchError, ProviderError, StatusError
from lab.kubernetes_provider.identity import namespace_and_name, resource_id
from lab.kubernetes_provider.waiting import CONDITION_TIMED_OUT, wait_until_gone

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session
    from lab.kubernetes_provider.values import Properties

# For these alone skipAwait also skips the wait until they are gone.
_SKIPPABLE = frozenset(
    {"Namespace", "Pod", "ReplicationController", "DaemonSet", "Deployment", "StatefulSet", "Job"}
)


def delete(session: Session, urn: str, identifier: str, state: Properties, *, seconds: float) -> None:
    """Deletes the object; one that is gone already is a success.

    Raises InitializationError with the last known state when it was still there at the deadline.
    """
    recorded = Checkpoint.parse(state)
    _, name = namespace_and_name(identifier)
    target = {**recorded.live, "metadata": {**recorded.live["metadata"], "name": name}}
    policy = object_annotations.deletion_propagation(recorded.inputs)
    try:
        live = session.cluster.get(target)
        session.cluster.delete(target, propagation_policy=policy)
    except NoMatchError:
        return
    except StatusError as error:
        if error.is_not_found:
            return
        raise
    skips = object_annotations.is_true(recorded.inputs, object_annotations.SKIP_AWAIT)
    if skips and recorded.live["kind"] in _SKIPPABLE:
        return
    left = wait_until_gone(
        session.cluster,
        live,
        seconds=object_annotations.timeout_seconds(seconds, recorded.inputs),
        cancelled=session.cancelled,
    )
    if left is None:
        return
    if session.cancelled.is_set():
        raise ProviderError(f'Resource operation was cancelled for "{left["metadata"]["name"]}"')
    finalizers = ", ".join(left["metadata"].get("finalizers") or [])
    session.host.warning(urn, f"finalizers might be preventing deletion ({finalizers})")
    last_state = checkpoint.record(left, recorded.inputs, state, recorded.field_manager or "")
    raise InitializationError(resource_id(left), CONDITION_TIMED_OUT, [], last_state)
