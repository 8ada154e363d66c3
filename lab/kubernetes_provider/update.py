"""Update: server-side apply (PUT for a CustomResourceDefinition), then the wait of its kind."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import checkpoint, field_ownership, object_annotations
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.create import can_preview
from lab.kubernetes_provider.errors import (
    InitializationError,
    NoMatchError,
    NotReadyError,
    ProviderError,
    StatusError,
)
from lab.kubernetes_provider.naming import resource_id
from lab.kubernetes_provider.normalise import normalised
from lab.kubernetes_provider.readiness import Subject, wait_of
from lab.kubernetes_provider.values import Properties, plain_map
from lab.kubernetes_provider.waiting import wait_until_ready

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session

Manifest = dict[str, Any]


def update(
    session: Session,
    urn: str,
    old_state: Properties,
    properties: Properties,
    *,
    seconds: float,
    ignored: list[str],
    preview: bool,
) -> Properties:
    """The new state; in a preview the one that a dry run gives.

    Raises InitializationError, with the new inputs recorded, also when the API server refused the
    update but the object can still be read: that is what the vendor's plugin does.
    """
    inputs = normalised(plain_map(properties))
    if preview and not can_preview(session, inputs):
        return properties
    recorded = Checkpoint.parse(old_state)
    manager = field_ownership.manager_of(inputs, recorded.field_manager)
    initial_api_version = (
        recorded.initial_api_version or recorded.inputs.get("apiVersion") or inputs["apiVersion"]
    )

    def record(live: Manifest) -> Properties:
        return checkpoint.record(
            live, inputs, properties, initial_api_version=initial_api_version, field_manager=manager
        )

    try:
        live = _send(session, recorded.live, inputs, manager, ignored, preview=preview)
        if not preview:
            live = _wait(session, urn, inputs, live, seconds)
            if recorded.field_manager and recorded.field_manager != manager:
                field_ownership.relinquish(session.cluster, live, recorded.field_manager)
    except (ProviderError, NotReadyError) as error:
        if preview and isinstance(error, StatusError) and error.is_forbidden:
            return properties
        raise _failure(session, urn, recorded.live, error, record) from error
    if preview:
        live.pop("status", None)
    return record(live)


def _send(
    session: Session, old_live: Manifest, inputs: Manifest, manager: str, ignored: list[str], *, preview: bool
) -> Manifest:
    cluster = session.cluster
    live = cluster.get({**inputs, "metadata": {**inputs["metadata"], "name": old_live["metadata"]["name"]}})
    if inputs["kind"] == "CustomResourceDefinition":
        replacement = copy.deepcopy(inputs)
        replacement["metadata"]["resourceVersion"] = live["metadata"]["resourceVersion"]
        replaced = cluster.replace(replacement, field_manager=manager, dry_run=preview)
        cluster.forget_mappings()
        return replaced
    if not preview:
        live = field_ownership.take_over(cluster, live, manager)
    sent = field_ownership.apply_ignored(inputs, live, manager, ignored)
    force = field_ownership.is_forced(sent, live, always=session.settings.enable_patch_force, preview=preview)
    try:
        return cluster.apply(sent, field_manager=manager, force=force, dry_run=preview)
    except StatusError as error:
        raise field_ownership.conflict(error, manager) from error


def _wait(session: Session, urn: str, inputs: Manifest, live: Manifest, seconds: float) -> Manifest:
    subject = Subject(session.cluster, is_update=True)
    wait = wait_of(subject, inputs, live, await_all=session.settings.await_all)
    if wait is None:
        return live
    return wait_until_ready(
        wait,
        session.cluster,
        live,
        seconds=object_annotations.timeout_seconds(seconds, inputs),
        cancelled=session.cancelled,
        say=lambda text: session.host.status(urn, text),
    )


def _failure(
    session: Session, urn: str, old_live: Manifest, error: ProviderError | NotReadyError, record: Any
) -> Exception:
    if isinstance(error, NoMatchError):
        return ProviderError(
            f'update of resource "{urn}" failed because the Kubernetes API server reported that '
            "the apiVersion for this resource does not exist. "
            f"Verify that any required CRDs have been created: {error}"
        )
    if session.connected is None:
        return error
    try:
        live = session.connected.get(old_live)
    except ProviderError as unreadable:
        return ProviderError(
            f'update of resource "{urn}" failed: {error}\nunable to get cluster state: {unreadable}'
        )
    identifier = resource_id(live)
    message = (
        f'the Kubernetes API server reported that "{identifier}" failed to fully initialize '
        f"or become live: {error}"
    )
    details = error.details if isinstance(error, NotReadyError) else []
    return InitializationError(identifier, message, details, record(live))
