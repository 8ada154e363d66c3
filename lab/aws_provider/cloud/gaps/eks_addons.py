"""EKS add-ons."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_documents import ADDON, cluster, find, now, updated
from lab.aws_provider.cloud.gaps.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document


@answers("eks", "CreateAddon")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """An add-on that is active at once."""
    owner, name = given["clusterName"], given["addonName"]
    cluster(place, owner)
    document = {
        "addonName": name,
        "clusterName": owner,
        "status": "ACTIVE",
        "addonVersion": given.get("addonVersion") or builds(name, cluster(place, owner)["version"])[0],
        "health": {"issues": []},
        "addonArn": place.arn("eks", f"addon/{owner}/{name}/{uuid.uuid4()}"),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": given.get("tags", {}),
        "podIdentityAssociations": given.get("podIdentityAssociations", []),
        **{key: given[key] for key in ("serviceAccountRoleArn", "configurationValues") if key in given},
    }
    place.store.put(ADDON, place.key(owner, name), document)
    return {"addon": _described(document)}


@answers("eks", "DescribeAddon")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The add-on."""
    return {"addon": _described(_find(place, given))}


@answers("eks", "ListAddons")
def names(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Names, all on one page."""
    cluster(place, given["clusterName"])
    return {
        "addons": [item["addonName"] for item in place.store.all(ADDON, place.key(given["clusterName"], ""))]
    }


@answers("eks", "UpdateAddon")
def update(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Version, configuration or roles."""
    document = _find(place, given)
    for key in ("addonVersion", "serviceAccountRoleArn", "configurationValues", "podIdentityAssociations"):
        if key in given:
            document[key] = given[key]
    return updated(place, ADDON, document, given["clusterName"], given["addonName"], what="AddonUpdate")


@answers("eks", "DeleteAddon")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the add-on."""
    document = _find(place, given)
    place.store.delete(ADDON, place.key(given["clusterName"], given["addonName"]))
    return {"addon": _described({**document, "status": "DELETING"})}


@answers("eks", "DescribeAddonVersions")
def versions(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """The builds of each add-on, or of one, with the Kubernetes versions that each is for."""
    known, wanted = load("eks.json"), given.get("kubernetesVersion")
    asked = [wanted] if wanted else known["cluster_versions"]
    found = {
        name: {each: builds(name, each) for each in asked}
        for name in known["addons"]
        if given.get("addonName") in {None, name}
    }
    return {"addons": [_offered(name, by_version) for name, by_version in found.items()]}


def builds(name: str, kubernetes: str) -> list[str]:
    """Builds of an add-on for a Kubernetes version, newest first."""
    of_each = load("eks.json")["addons"][name]
    return of_each.get("*") or of_each.get(kubernetes, [])


def _offered(name: str, by_version: dict[str, list[str]]) -> Document:
    every = dict.fromkeys(build for listed in by_version.values() for build in listed)
    return {
        "addonName": name,
        "type": "networking",
        "addonVersions": [
            {
                "addonVersion": build,
                "architecture": ["amd64", "arm64"],
                "compatibilities": [
                    {"clusterVersion": each, "platformVersions": ["*"], "defaultVersion": build == listed[0]}
                    for each, listed in by_version.items()
                    if build in listed
                ],
            }
            for build in every
        ],
    }


def _find(place: Place, given: dict[str, Any]) -> Document:
    cluster(place, given["clusterName"])
    message = f"No addon: {given['addonName']} found in cluster: {given['clusterName']}"
    return find(place, ADDON, message, given["clusterName"], given["addonName"])


def _described(document: Document) -> Document:
    """AWS shows an association as the ARN that it gave it."""
    shown = [
        f"{document['addonArn'].replace(':addon/', ':podidentityassociation/')}/{item['serviceAccount']}"
        for item in document["podIdentityAssociations"]
    ]
    return {**document, "podIdentityAssociations": shown}
