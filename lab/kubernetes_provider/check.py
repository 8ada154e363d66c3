"""Check: is this a resource that exists, and what is its namespace."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from lab.kubernetes_provider import object_annotations
from lab.kubernetes_provider.errors import NoMatchError
from lab.kubernetes_provider.identity import CLUSTER_SCOPED
from lab.kubernetes_provider.kinds import (
    api_version_and_kind,
    require_served,
)
from lab.kubernetes_provider.normalise import is_typed
from lab.kubernetes_provider.values import Properties, Unknown, plain_map, to_properties, with_secrets_of
from lab.provider_service.naming import token_of

if TYPE_CHECKING:
    from lab.kubernetes_provider.cluster import Manifest
    from lab.kubernetes_provider.session import Session

Failure = tuple[str, str]


def check(session: Session, urn: str, new: Properties) -> tuple[Properties, list[Failure]]:
    """The inputs with the namespace filled in, and (property, reason) for each that is refused.

    Schema violations are not looked for: the API server reports them, in a dry run or in the update, as it
    does for the vendor's plugin.
    """
    token = token_of(urn)
    require_served(token)
    inputs = copy.deepcopy(plain_map(new))
    metadata = inputs.setdefault("metadata", {})
    failures = [*_wrong_type(token, inputs), *_bad_annotations(inputs)]
    if isinstance(metadata, dict):
        if not metadata.get("name"):
            failures.append(("metadata", "give metadata.name: this stand-in makes no names"))
        if not metadata.get("namespace") and is_namespaced(session, inputs):
            metadata["namespace"] = session.default_namespace
    return with_secrets_of(to_properties(inputs), new), failures


def is_namespaced(session: Session, manifest: Manifest) -> bool:
    """Whether the kind lies in namespaces; a kind that nobody knows yet is taken to do so."""
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return True
    if is_typed(manifest) and kind in CLUSTER_SCOPED:
        return False
    if session.connected is None:
        return True
    try:
        return session.connected.mapping(api_version, kind).namespaced
    except NoMatchError:
        return True


def _wrong_type(token: str, inputs: Manifest) -> list[Failure]:
    given = dict(zip(("apiVersion", "kind"), api_version_and_kind(token), strict=True))
    return [
        (key, f"expected {key} {wanted!r}, as the resource type says, got {inputs.get(key)!r}")
        for key, wanted in given.items()
        if inputs.get(key) != wanted and not isinstance(inputs.get(key), Unknown)
    ]


def _bad_annotations(inputs: Manifest) -> list[Failure]:
    found = object_annotations.not_served(inputs)
    if found:
        return [("metadata", f"this stand-in does not serve {', '.join(found)}")]
    try:
        if object_annotations.value(inputs, object_annotations.WAIT_FOR):
            object_annotations.awaited_condition(inputs)
    except ValueError as error:
        return [("metadata", str(error))]
    return []
