"""Create: POST, retried while what it needs may still appear, then the wait of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import checkpoint, field_ownership
from lab.kubernetes_provider.errors import (
    InitializationError,
    NoMatchError,
    NotReadyError,
    ProviderError,
    StatusError,
)
from lab.kubernetes_provider.holds import hold_after_create
from lab.kubernetes_provider.identity import resource_id
from lab.kubernetes_provider.readiness import await_ready
from lab.kubernetes_provider.values import Properties, contains_unknown, plain_map

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubernetes_provider.cluster import Manifest
    from lab.kubernetes_provider.session import Session

# After every failed try, the last one included.
_PAUSES_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)

_ALREADY_EXISTS = (
    "The resource already exists in the cluster. This can happen when: an earlier update was interrupted "
    "after it had created the resource, another tool created it, or it belongs to another stack. "
    "Import it, delete it, or set `upsertExistingObjects` on the provider to take it over."
)


def create(
    session: Session, urn: str, properties: Properties, *, seconds: float, preview: bool
) -> tuple[str, Properties]:
    """The new object's id and state; in a preview no id, and the state that a dry run gives.

    Raises InitializationError when the object exists but its wait failed, ProviderError otherwise.
    """
    inputs = plain_map(properties)
    if preview and not can_preview(session, inputs):
        return "", properties
    manager = field_ownership.new_manager()

    def record(live: Manifest) -> Properties:
        return checkpoint.record(live, inputs, properties, manager)

    try:
        live = with_retries(
            lambda: _send(session, inputs, manager, preview=preview),
            pause=session.cancelled.wait,
            say=lambda text: session.host.status(urn, text),
            is_preview=preview,
        )
    except ProviderError as error:
        if preview and isinstance(error, StatusError) and _is_swallowed(error):
            return "", properties
        raise ProviderError(_refusal(urn, inputs, error)) from error
    if preview:
        live.pop("status", None)
        return "", record(live)
    hold_after_create(session, inputs["kind"])
    try:
        ready = await_ready(session, urn, inputs, live, seconds) or _reread(session, live)
    except NotReadyError as error:
        message = (
            f'resource "{urn}" was successfully created, but the Kubernetes API server '
            f"reported that it failed to fully initialize or become live: {error}"
        )
        raise InitializationError(resource_id(live), message, [*error.details], record(error.live)) from error
    return resource_id(ready), record(ready)


def can_preview(session: Session, inputs: Manifest) -> bool:
    """Whether a dry run can say anything: all inputs known, and the kind served by a cluster that answers."""
    if session.connected is None or contains_unknown(inputs):
        return False
    try:
        session.connected.mapping(inputs["apiVersion"], inputs["kind"])
    except ProviderError:
        return False
    return True


def with_retries(
    send: Callable[[], Manifest],
    *,
    pause: Callable[[float], bool],
    say: Callable[[str], None],
    is_preview: bool = False,
) -> Manifest:
    """Tries six times while something is not found: a namespace or a definition may be on its way.

    `pause` returns True when the operation was cancelled.
    """
    last: ProviderError | None = None
    for number, seconds in enumerate(_PAUSES_SECONDS):
        try:
            return send()
        except (StatusError, NoMatchError) as error:
            missing = isinstance(error, NoMatchError) or error.is_not_found
            # In a preview the namespace may be one that the same update will create.
            if not missing or (is_preview and isinstance(error, StatusError) and error.is_missing_namespace):
                raise
            last = error
            say(f"Retry #{number}; creation failed: {error}")
        if pause(seconds):
            break
    assert last is not None
    raise last


def _send(session: Session, inputs: Manifest, manager: str, *, preview: bool) -> Manifest:
    if not session.has("upsertExistingObjects"):
        return session.cluster.create(inputs, field_manager=field_ownership.CREATE_MANAGER, dry_run=preview)
    return field_ownership.apply(session, inputs, None, manager, preview=preview)


def _is_swallowed(error: StatusError) -> bool:
    return (
        error.is_forbidden or error.is_missing_namespace or error.refuses_dry_run or error.is_already_exists
    )


def _refusal(urn: str, inputs: Manifest, error: ProviderError) -> str:
    if isinstance(error, NoMatchError):
        return (
            f'creation of resource "{urn}" with kind {inputs["apiVersion"]}/{inputs["kind"]} failed because '
            "the Kubernetes API server reported that the apiVersion for this resource does not exist. "
            f"Verify that any required CRDs have been created: {error}"
        )
    text = f'resource "{urn}" was not successfully created by the Kubernetes API server: {error}'
    exists = isinstance(error, StatusError) and error.is_already_exists
    return f"{text}\n{_ALREADY_EXISTS}" if exists else text


def _reread(session: Session, live: Manifest) -> Manifest:
    try:
        return session.cluster.get(live)
    except ProviderError:
        # It was created; failing now would leave it out of the state.
        return live
