"""Kinds of documents that EKS has, how requests name one, and what is the same of all of them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.place import now
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document


@dataclass(frozen=True)
class Kind:
    """One of them."""

    kept: str
    """Its name in the store."""
    names: tuple[str, ...]
    """Members of a request, and of the document, that name one in its region."""
    missing: str
    """How EKS says that there is none."""
    answer: str = ""
    """Member of the answers that holds one, which is also what DescribeX asks for."""

    def key(self, place: Place, given: dict[str, Any]) -> str:
        """Where the one that a request names is kept."""
        return place.key(*(given[name] for name in self.names))

    def get(self, place: Place, given: dict[str, Any]) -> Document | None:
        """The one that a request names, or None."""
        return place.store.get(self.kept, self.key(place, given))

    def find(self, place: Place, given: dict[str, Any]) -> Document:
        """The one that a request names. Raises Refused where it or its cluster is missing."""
        if self is not CLUSTER:
            CLUSTER.find(place, {"name": given["clusterName"]})
        found = self.get(place, given)
        if found is None:
            raise Refused("ResourceNotFoundException", self.missing.format(**given))
        return found

    def all(self, place: Place, *names: str) -> list[Document]:
        """All of the region, or of a cluster."""
        return place.store.all(self.kept, place.key(*names, ""))

    def put(self, place: Place, document: Document) -> Document:
        """Writes one."""
        return place.store.put(self.kept, self.key(place, document), {**document, "modifiedAt": now()})

    def delete(self, place: Place, given: dict[str, Any]) -> Document:
        """Removes the one that a request names. Raises Refused where it is missing."""
        document = self.find(place, given)
        place.store.delete(self.kept, self.key(place, given))
        return {self.answer: document | {"status": "DELETING"}}

    def updated(self, place: Place, document: Document, what: str) -> Document:
        """Writes a changed document; the answer is an update that is done already."""
        self.put(place, document)
        update = {"id": str(uuid.uuid4()), "status": "Successful", "type": what, "params": [], "errors": []}
        return {"update": update | {"createdAt": now()}}

    def describe(self, place: Place, given: dict[str, Any]) -> dict[str, Any]:
        """The one that a request names."""
        return {self.answer: self.find(place, given)}


CLUSTER = Kind("eks-clusters", ("name",), "No cluster found for name: {name}.", "cluster")
NODE_GROUP = Kind(
    "eks-node-groups",
    ("clusterName", "nodegroupName"),
    "No node group found for name: {nodegroupName}.",
    "nodegroup",
)
ADDON = Kind(
    "eks-addons",
    ("clusterName", "addonName"),
    "No addon: {addonName} found in cluster: {clusterName}",
    "addon",
)
ACCESS_ENTRY = Kind(
    "eks-access-entries",
    ("clusterName", "principalArn"),
    "The specified principalArn could not be found: {principalArn}",
    "accessEntry",
)
ACCESS_POLICY = Kind(
    "eks-access-policies",
    ("clusterName", "principalArn", "policyArn"),
    "The policy {policyArn} is not associated with {principalArn}.",
)

for _kind in (CLUSTER, NODE_GROUP, ADDON, ACCESS_ENTRY):
    answers("eks", f"Describe{_kind.answer[0].upper()}{_kind.answer[1:]}")(_kind.describe)


def cluster(place: Place, name: str) -> Document:
    """A cluster. Raises Refused where there is none."""
    return CLUSTER.find(place, {"name": name})
