"""Add-ons: https://docs.aws.amazon.com/eks/latest/userguide/eks-add-ons.html."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_addons import builds
from lab.aws_provider.cloud.gaps.eks_documents import ADDON, cluster
from lab.aws_provider.cloud.refusal import Refused, refused_by_eks
from lab.aws_provider.cloud.rules.eks_access import require_of_pods
from lab.aws_provider.cloud.rules.registry import refuses

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

_TEXTS = ("enableNetworkPolicy",)
"""Keys that the schema of their add-on has as texts, whatever they look like (`aws eks
describe-addon-configuration --addon-name vpc-cni`)."""


@refuses("eks", "CreateAddon")
def known(place: Place, given: dict[str, Any]) -> None:
    """An add-on that EKS does not have, or that the cluster has already."""
    cluster(place, given["clusterName"])
    if given["addonName"] not in load("eks.json")["addons"]:
        raise refused_by_eks(f"Addon {given['addonName']} specified is not supported")
    if place.store.get(ADDON, place.key(given["clusterName"], given["addonName"])) is not None:
        raise Refused("ResourceInUseException", "Addon already exists.", addonName=given["addonName"])


@refuses("eks", "CreateAddon", "UpdateAddon")
def version(place: Place, given: dict[str, Any]) -> None:
    """A build that EKS does not have for the cluster's Kubernetes."""
    wanted = given.get("addonVersion")
    if wanted is None:
        return
    kubernetes = cluster(place, given["clusterName"])["version"]
    if wanted not in builds(given["addonName"], kubernetes):
        raise refused_by_eks(
            f"Addon version specified is not supported, AddonName: {given['addonName']}, AddonVersion: "
            f"{wanted}, KubernetesVersion: {kubernetes}"
        )


@refuses("eks", "CreateAddon", "UpdateAddon")
def roles(place: Place, given: dict[str, Any]) -> None:
    """Roles that do not exist; a role for the service account and a pod identity at once."""
    identities = given.get("podIdentityAssociations", [])
    if identities and given.get("serviceAccountRoleArn"):
        raise refused_by_eks("serviceAccountRoleArn and podIdentityAssociations cannot be used together")
    for item in identities:
        require_of_pods(place, item["roleArn"])
    arn = given.get("serviceAccountRoleArn")
    if arn and not any(item.arn == arn for item in place.iam.roles.values()):
        raise refused_by_eks(f"Cross-account pass role is not allowed or role does not exist: {arn}")


@refuses("eks", "CreateAddon", "UpdateAddon")
def configuration(place: Place, given: dict[str, Any]) -> None:  # noqa: ARG001 - as all rules
    """Configuration that is neither JSON nor YAML of an object."""
    text = given.get("configurationValues")
    if not text:
        return
    try:
        value = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise refused_by_eks("ConfigurationValue provided in request is not supported: not JSON") from error
    if not isinstance(value, dict):
        raise refused_by_eks("ConfigurationValue provided in request is not supported: not an object")
    for key in _TEXTS:
        if not isinstance(value.get(key, ""), str):
            raise refused_by_eks(
                "ConfigurationValue provided in request is not supported: Json schema validation failed with "
                f"error: [$.{key}: {type(value[key]).__name__} found, string expected]"
            )
