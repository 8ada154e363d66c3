"""Check: is this a resource that exists, and what are its name and namespace."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lab.kubernetes_provider import object_annotations, wait_for
from lab.kubernetes_provider.errors import NoMatchError, ProviderError
from lab.kubernetes_provider.kinds import (
    UnknownTypeError,
    api_version_and_kind,
    input_properties,
    require_served,
)
from lab.kubernetes_provider.naming import (
    NamingError,
    adopt_old_name,
    assign_name,
    is_cluster_scoped,
)
from lab.kubernetes_provider.normalise import is_typed
from lab.kubernetes_provider.values import Properties, Unknown, plain_map, to_properties, with_secrets_of
from lab.provider_service.naming import name_of, token_of

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session
    from lab.provider_service.naming import Autonaming

Failure = tuple[str, str]


def check(
    session: Session, urn: str, old: Properties, new: Properties, *, seed: bytes, autonaming: Autonaming
) -> tuple[Properties, list[Failure]]:
    """The inputs with name and namespace filled in, and (property, reason) for each that is refused.

    Schema violations below the top level are not looked for: the API server reports them, in a dry
    run or in the update, as it does for the vendor's plugin.
    """
    token, logical_name = token_of(urn), name_of(urn)
    try:
        require_served(token)
        api_version, kind = api_version_and_kind(token)
    except UnknownTypeError as error:
        raise ProviderError(str(error)) from error
    if session.is_unreachable and session.settings.skip_update_unreachable and old:
        return old, []
    inputs, old_inputs = copy.deepcopy(plain_map(new)), plain_map(old)
    failures = [*_unknown_inputs(token, inputs), *_wrong_type(inputs, api_version, kind), *_bad_wait(inputs)]
    try:
        adopt_old_name(inputs, old_inputs)
        assign_name(inputs, logical_name, seed, autonaming)
    except NamingError as error:
        raise ProviderError(str(error)) from error
    _fill_namespace(session, inputs)
    if _has_generate_name(inputs):
        raise ProviderError("the `.metadata.generateName` field is not supported in Server-Side Apply mode")
    return with_secrets_of(to_properties(inputs), new), failures


def is_namespaced(session: Session, manifest: dict[str, Any]) -> bool:
    """Whether the kind lies in namespaces; a kind that nobody knows yet is taken to do so."""
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if isinstance(api_version, Unknown) or isinstance(kind, Unknown) or not api_version or not kind:
        return True
    if is_typed(manifest) and is_cluster_scoped(kind):
        return False
    if session.connected is None:
        return True
    try:
        return session.connected.mapping(api_version, kind).namespaced
    except NoMatchError:
        return True


def _fill_namespace(session: Session, inputs: dict[str, Any]) -> None:
    metadata = inputs.get("metadata")
    if isinstance(metadata, dict) and not metadata.get("namespace") and is_namespaced(session, inputs):
        metadata["namespace"] = session.default_namespace


def _has_generate_name(inputs: dict[str, Any]) -> bool:
    metadata = inputs.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("generateName")) and not metadata.get("name")


def _unknown_inputs(token: str, inputs: dict[str, Any]) -> list[Failure]:
    known = input_properties(token)
    if known is None:
        return []
    return [(key, f"unknown input property {key!r} of {token}") for key in sorted(set(inputs) - known)]


def _wrong_type(inputs: dict[str, Any], api_version: str, kind: str) -> list[Failure]:
    given = {"apiVersion": api_version, "kind": kind}
    return [
        (key, f"expected {key} {wanted!r}, as the resource type says, got {inputs.get(key)!r}")
        for key, wanted in given.items()
        if inputs.get(key) != wanted and not isinstance(inputs.get(key), Unknown)
    ]


def _bad_wait(inputs: dict[str, Any]) -> list[Failure]:
    text = object_annotations.value(inputs, object_annotations.WAIT_FOR)
    if not text:
        return []
    try:
        wait_for.parse(text)
    except wait_for.WaitForError as error:
        return [("metadata", str(error))]
    return []
