"""Read: the live object for a refresh, an import or a get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import checkpoint, field_ownership
from lab.kubernetes_provider.checkpoint import Checkpoint
from lab.kubernetes_provider.errors import Gone, InitializationError, NoMatchError, ProviderError, StatusError
from lab.kubernetes_provider.kinds import api_version_and_kind, input_properties
from lab.kubernetes_provider.naming import namespace_and_name
from lab.kubernetes_provider.normalise import is_typed, normalised
from lab.kubernetes_provider.pruning import pruned, with_dropped
from lab.kubernetes_provider.readiness import Subject, problems_at_refresh
from lab.kubernetes_provider.values import Properties, plain_map, to_properties, with_secrets_of
from lab.provider_service.naming import token_of

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session

_SERVER_METADATA = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "uid")
_SERVER_ANNOTATIONS = (
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/last-applied-configuration",
)


def read(
    session: Session, urn: str, identifier: str, state: Properties, old_inputs: Properties
) -> tuple[Properties, Properties]:
    """The object's state and inputs. Raises Gone, and InitializationError for one that is not ready.

    Inputs are the live values of the fields that the program set; without earlier inputs (an import)
    all fields that the kind's class has.
    """
    recorded, inputs = Checkpoint.parse(state), normalised(plain_map(old_inputs))
    is_import = not inputs.get("kind") and not recorded.live.get("kind")
    if not inputs.get("kind"):
        _identify(urn, identifier, recorded.live, inputs)
    _, name = namespace_and_name(identifier)
    if not name:
        raise ProviderError(
            "failed to read resource because of a failure to parse resource name from request ID: "
            f"{identifier}"
        )
    cluster = session.cluster
    try:
        live = cluster.get({**inputs, "metadata": {**inputs["metadata"], "name": name}})
    except NoMatchError as error:
        raise Gone from error
    except StatusError as error:
        if error.is_not_found:
            raise Gone from error
        raise
    if is_import:
        live_inputs = _imported(urn, live)
    else:
        live_inputs = pruned(live, inputs)
        if is_typed(inputs):
            live_inputs = with_dropped(live_inputs, inputs, recorded.live)
    new_state = checkpoint.record(
        live,
        live_inputs,
        old_inputs,
        initial_api_version=recorded.initial_api_version or inputs["apiVersion"],
        field_manager=field_ownership.manager_of(inputs, recorded.field_manager),
    )
    new_inputs = with_secrets_of(to_properties(live_inputs), old_inputs)
    problems = None if is_import else problems_at_refresh(Subject(cluster), inputs, live)
    if problems is not None:
        message = f"Resource '{name}' was created but failed to initialize"
        raise InitializationError(identifier, message, problems, new_state, new_inputs)
    return new_state, new_inputs


def _identify(urn: str, identifier: str, live: dict[str, Any], inputs: dict[str, Any]) -> None:
    api_version, kind = api_version_and_kind(token_of(urn))
    namespace, name = namespace_and_name(identifier)
    inputs["apiVersion"] = live.get("apiVersion") or api_version
    inputs["kind"] = live.get("kind") or kind
    metadata = inputs.setdefault("metadata", {})
    metadata.setdefault("name", name)
    if namespace:
        metadata.setdefault("namespace", namespace)


def _imported(urn: str, live: dict[str, Any]) -> dict[str, Any]:
    # A custom resource has no class that would tell inputs from outputs, so only its identity is taken.
    known = input_properties(token_of(urn)) or {"apiVersion", "kind", "metadata"}
    inputs = {key: value for key, value in live.items() if key in known and key != "status"}
    metadata = {key: value for key, value in live["metadata"].items() if key not in _SERVER_METADATA}
    if "annotations" in metadata:
        kept = {
            key: value for key, value in metadata["annotations"].items() if key not in _SERVER_ANNOTATIONS
        }
        metadata["annotations"] = kept
    return {**inputs, "metadata": metadata}
