"""Who may enter a cluster: access entries, their policies, and pod identities."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import (
    ACCESS_ENTRY,
    ACCESS_POLICY,
    POD_IDENTITY,
    cluster,
    find,
    now,
)
from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document


@answers("eks", "CreateAccessEntry")
def create_entry(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """An entry for a role or user."""
    owner, principal = given["clusterName"], given["principalArn"]
    kind, _, name = principal.split(":")[5].partition("/")
    document = {
        "clusterName": owner,
        "principalArn": principal,
        "kubernetesGroups": given.get("kubernetesGroups", []),
        "accessEntryArn": place.arn(
            "eks", f"access-entry/{owner}/{kind}/{place.account}/{name}/{uuid.uuid4()}"
        ),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": given.get("tags", {}),
        "username": given.get("username") or principal,
        "type": given.get("type", "STANDARD"),
    }
    return {"accessEntry": place.store.put(ACCESS_ENTRY, place.key(owner, principal), document)}


def enter_creator(place: Place, owner: str) -> None:
    """The entry that EKS itself makes for whoever makes a cluster that asks for it."""
    _, _, session = place.settings.caller_arn.partition(":assumed-role/")
    role = place.iam.get_role(session.partition("/")[0]).arn if session else place.settings.caller_arn
    create_entry(place, {"clusterName": owner, "principalArn": role})
    administrator = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    given = {"clusterName": owner, "principalArn": role, "policyArn": administrator}
    associate(place, {**given, "accessScope": {"type": "cluster"}})


@answers("eks", "DescribeAccessEntry")
def describe_entry(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The entry."""
    return {"accessEntry": entry(place, given)}


@answers("eks", "ListAccessEntries")
def entries(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """ARNs of roles and users, all on one page."""
    cluster(place, given["clusterName"])
    found = place.store.all(ACCESS_ENTRY, place.key(given["clusterName"], ""))
    return {"accessEntries": [item["principalArn"] for item in found]}


@answers("eks", "UpdateAccessEntry")
def update_entry(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Groups and user name; type and principal stay."""
    document = entry(place, given)
    for key in ("kubernetesGroups", "username"):
        if key in given:
            document[key] = given[key]
    return {"accessEntry": place.store.put(ACCESS_ENTRY, _entry_key(place, given), document)}


@answers("eks", "DeleteAccessEntry")
def delete_entry(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the entry, and its policies with it."""
    entry(place, given)
    place.store.delete(ACCESS_ENTRY, _entry_key(place, given))
    for key, _ in place.store.items(ACCESS_POLICY, _entry_key(place, given) + "/"):
        place.store.delete(ACCESS_POLICY, key)
    return {}


@answers("eks", "AssociateAccessPolicy")
def associate(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Gives an entry a policy of EKS, or the one that it has another scope."""
    entry(place, given)
    policy = {
        "policyArn": given["policyArn"],
        "accessScope": {"namespaces": [], **given["accessScope"]},
        "associatedAt": now(),
        "modifiedAt": now(),
    }
    place.store.put(ACCESS_POLICY, f"{_entry_key(place, given)}/{given['policyArn']}", policy)
    return {
        "clusterName": given["clusterName"],
        "principalArn": given["principalArn"],
        "associatedAccessPolicy": policy,
    }


@answers("eks", "ListAssociatedAccessPolicies")
def policies(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The policies of an entry."""
    entry(place, given)
    return {
        "clusterName": given["clusterName"],
        "principalArn": given["principalArn"],
        "associatedAccessPolicies": place.store.all(ACCESS_POLICY, _entry_key(place, given) + "/"),
    }


@answers("eks", "DisassociateAccessPolicy")
def disassociate(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Takes a policy from an entry."""
    entry(place, given)
    message = f"The policy {given['policyArn']} is not associated with {given['principalArn']}."
    names = given["clusterName"], given["principalArn"], given["policyArn"]
    find(place, ACCESS_POLICY, message, *names)
    place.store.delete(ACCESS_POLICY, place.key(*names))
    return {}


@answers("eks", "CreatePodIdentityAssociation")
def create_identity(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A role for the pods of a service account."""
    owner, identifier = given["clusterName"], f"a-{uuid.uuid4().hex[:17]}"
    document = {
        **{key: value for key, value in given.items() if key != "clientRequestToken"},
        "associationArn": place.arn("eks", f"podidentityassociation/{owner}/{identifier}"),
        "associationId": identifier,
        "tags": given.get("tags", {}),
        "createdAt": now(),
        "modifiedAt": now(),
        "disableSessionTags": given.get("disableSessionTags", False),
    }
    return {"association": place.store.put(POD_IDENTITY, place.key(owner, identifier), document)}


@answers("eks", "DescribePodIdentityAssociation")
def describe_identity(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The association."""
    return {"association": _identity(place, given)}


@answers("eks", "ListPodIdentityAssociations")
def identities(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """All of a cluster, on one page."""
    cluster(place, given["clusterName"])
    shown = ("clusterName", "namespace", "serviceAccount", "associationArn", "associationId")
    found = place.store.all(POD_IDENTITY, place.key(given["clusterName"], ""))
    return {"associations": [{key: item[key] for key in shown} for item in found]}


@answers("eks", "UpdatePodIdentityAssociation")
def update_identity(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The role; namespace and service account stay."""
    document = _identity(place, given)
    for key in ("roleArn", "targetRoleArn", "disableSessionTags", "policy"):
        if key in given:
            document[key] = given[key]
    key = place.key(given["clusterName"], given["associationId"])
    return {"association": place.store.put(POD_IDENTITY, key, document)}


@answers("eks", "DeletePodIdentityAssociation")
def delete_identity(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the association."""
    document = _identity(place, given)
    place.store.delete(POD_IDENTITY, place.key(given["clusterName"], given["associationId"]))
    return {"association": document}


def entry(place: Place, given: dict[str, Any]) -> Document:
    """The access entry that a request names. Raises Refused where there is none."""
    cluster(place, given["clusterName"])
    message = f"The specified principalArn could not be found: {given['principalArn']}"
    return find(place, ACCESS_ENTRY, message, given["clusterName"], given["principalArn"])


def _entry_key(place: Place, given: dict[str, Any]) -> str:
    return place.key(given["clusterName"], given["principalArn"])


def _identity(place: Place, given: dict[str, Any]) -> Document:
    cluster(place, given["clusterName"])
    message = f"No association found for ID: {given['associationId']}"
    return find(place, POD_IDENTITY, message, given["clusterName"], given["associationId"])
