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
    update = {"id": str(uuid.uuid4()), "status": "Successful", "type": what, "params": [], "errors": []}
    place.store.put(UPDATE, place.key(names[0], update["id"]), {**update, "createdAt": now(), "of": subject})
    return {"update": {**update, "createdAt": now()}}
