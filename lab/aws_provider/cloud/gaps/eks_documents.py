"""Kinds of documents that EKS has, how they are found, and the updates that change them."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

CLUSTER = "eks-clusters"
NODE_GROUP = "eks-node-groups"
ADDON = "eks-addons"
ACCESS_ENTRY = "eks-access-entries"
ACCESS_POLICY = "eks-access-policies"
POD_IDENTITY = "eks-pod-identities"
UPDATE = "eks-updates"
WITH_TAGS = (CLUSTER, NODE_GROUP, ADDON, ACCESS_ENTRY, POD_IDENTITY)


def now() -> dt.datetime:
    """The time as AWS writes it, in UTC."""
    return dt.datetime.now(dt.UTC).replace(tzinfo=None, microsecond=0)


def cluster(place: Place, name: str) -> Document:
    """A cluster. Raises Refused where there is none."""
    found = place.store.get(CLUSTER, place.key(name))
    if found is None:
        raise Refused("ResourceNotFoundException", f"No cluster found for name: {name}.", clusterName=name)
    return found


def find(place: Place, kind: str, message: str, *names: str) -> Document:
    """A document of a cluster. Raises Refused with a message where there is none."""
    found = place.store.get(kind, place.key(*names))
    if found is None:
        raise Refused("ResourceNotFoundException", message)
    return found


def updated(
    place: Place, kind: str, document: Document, *names: str, what: str, subject: str = ""
) -> dict[str, Any]:
    """Writes a changed document, and an update that is done already."""
    place.store.put(kind, place.key(*names), {**document, "modifiedAt": now()})
    return _update(place, names[0], subject, {"status": "Successful", "type": what, "errors": []})


def failed_update(place: Place, owner: str, *, what: str, subject: str, code: str, message: str) -> Document:
    """Writes an update that EKS accepted and that came to nothing."""
    error = {"errorCode": code, "errorMessage": message, "resourceIds": [subject]}
    return _update(place, owner, subject, {"status": "Failed", "type": what, "errors": [error]})


def _update(place: Place, owner: str, subject: str, fields: Document) -> Document:
    update = {"id": str(uuid.uuid4()), "params": [], **fields}
    place.store.put(UPDATE, place.key(owner, update["id"]), {**update, "createdAt": now(), "of": subject})
    # What it came to is asked for by its id.
    answer = {**update, "createdAt": now(), "errors": []}
    return {"update": answer | ({"status": "InProgress"} if update["status"] == "Failed" else {})}
