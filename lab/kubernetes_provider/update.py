"""Update: server-side apply, then the wait of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import checkpoint, field_ownership
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.create import can_preview
from lab.kubernetes_provider.errors import (
    InitializationError,
    NoMatchError,
    NotReadyError,
    ProviderError,
    StatusError,
)
from lab.kubernetes_provider.identity import resource_id
from lab.kubernetes_provider.normalise import normalised
from lab.kubernetes_provider.readiness import await_ready
from lab.kubernetes_provider.values import Properties, plain_map

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubernetes_provider.cluster import Manifest
    from lab.kubernetes_provider.session import Session


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
    manager = recorded.field_manager or field_ownership.new_manager()

    def record(live: Manifest) -> Properties:
        return checkpoint.record(live, inputs, properties, manager)

    try:
        live = _send(session, recorded.live, inputs, manager, ignored, preview=preview)
        if not preview:
            live = await_ready(session, urn, inputs, live, seconds, is_update=True) or live
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
    if inputs["kind"] == "CustomResourceDefinition":
        raise ProviderError("this stand-in creates and deletes a CustomResourceDefinition, and updates none")
    named = {**inputs, "metadata": {**inputs["metadata"], "name": old_live["metadata"]["name"]}}
    live = session.cluster.get(named)
    if not preview:
        live = field_ownership.take_over(session.cluster, live, manager)
    sent = field_ownership.apply_ignored(inputs, live, manager, ignored)
    return field_ownership.apply(session, sent, live, manager, preview=preview)


def _failure(
    session: Session,
    urn: str,
    old_live: Manifest,
    error: ProviderError | NotReadyError,
    record: Callable[[Manifest], Properties],
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
    details = [*error.details] if isinstance(error, NotReadyError) else []
    return InitializationError(identifier, message, details, record(live))
