"""EKS clusters, who may enter them, and their add-ons: moto keeps too little of all three."""

from __future__ import annotations

import base64
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_documents import ACCESS_ENTRY, ACCESS_POLICY, ADDON, CLUSTER, cluster
from lab.aws_provider.cloud.gaps.others import LAST_LINES
from lab.aws_provider.cloud.place import now
from lab.aws_provider.cloud.registry import answers

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_NO_CLUSTER_BEHIND = base64.b64encode(b"no cluster stands behind this one").decode()


@answers("eks", "CreateCluster")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A cluster that is active at once, with the security group that EKS makes for one."""
    name = given["name"]
    server, authority = place.settings.eks_api_server() or (
        f"https://{uuid.uuid4().hex.upper()}.gr7.{place.region}.eks.amazonaws.com",
        _NO_CLUSTER_BEHIND,
    )
    document = {
        "tags": {},
        "encryptionConfig": [],
        "logging": {"clusterLogging": []},
        "deletionProtection": False,
        **given,
        "arn": place.arn("eks", f"cluster/{name}"),
        "createdAt": now(),
        "endpoint": server,
        "certificateAuthority": {"data": authority},
        "resourcesVpcConfig": _network(place, name, given["resourcesVpcConfig"]),
        "status": "ACTIVE",
        "platformVersion": "eks.1",
    }
    return {"cluster": CLUSTER.put(place, document)}


@answers("eks", "ListClusters")
def names(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """Names, all on one page."""
    return {"clusters": [item["name"] for item in CLUSTER.all(place)]}


@answers("eks", "DeleteCluster")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the cluster, its security group, and who may enter it."""
    document = cluster(place, given["name"])
    for kind in (ACCESS_ENTRY, ACCESS_POLICY):
        place.store.delete_all(kind.kept, place.key(given["name"], ""))
    if document["logging"]["clusterLogging"]:
        place.store.put(LAST_LINES, place.key(f"/aws/eks/{given['name']}/cluster"), {})
    group = document["resourcesVpcConfig"]["clusterSecurityGroupId"]
    place.moto("ec2").delete_security_group(group_id=group, name=None)
    return CLUSTER.delete(place, given)


@answers("eks", "UpdateClusterConfig")
def configure(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Whether the cluster may be deleted."""
    document = cluster(place, given["name"]) | {"deletionProtection": given["deletionProtection"]}
    return CLUSTER.updated(place, document, "ConfigUpdate")


@answers("eks", "UpdateClusterVersion")
def upgrade(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The control plane's version; rules say which may follow which."""
    document = cluster(place, given["name"]) | {"version": given["version"]}
    return CLUSTER.updated(place, document, "VersionUpdate")


@answers("eks", "CreateAccessEntry")
def create_entry(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """An entry for a role or user."""
    document = {
        "tags": {},
        **given,
        "username": given["principalArn"],
        "accessEntryArn": place.arn("eks", f"access-entry/{given['clusterName']}/{uuid.uuid4()}"),
        "createdAt": now(),
    }
    return {"accessEntry": ACCESS_ENTRY.put(place, document)}


@answers("eks", "DeleteAccessEntry")
def delete_entry(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the entry, and its policies with it."""
    ACCESS_ENTRY.delete(place, given)
    place.store.delete_all(ACCESS_POLICY.kept, ACCESS_ENTRY.key(place, given) + "/")
    return {}


@answers("eks", "AssociateAccessPolicy")
def associate(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Gives an entry a policy of EKS, or the one that it has another scope."""
    ACCESS_ENTRY.find(place, given)
    scope = {"namespaces": [], **given["accessScope"]}
    made = ACCESS_POLICY.put(place, {**given, "accessScope": scope, "associatedAt": now()})
    return {**given, "associatedAccessPolicy": made}


@answers("eks", "ListAssociatedAccessPolicies")
def policies(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The policies of an entry."""
    ACCESS_ENTRY.find(place, given)
    found = ACCESS_POLICY.all(place, given["clusterName"], given["principalArn"])
    return {**given, "associatedAccessPolicies": found}


@answers("eks", "DisassociateAccessPolicy")
def disassociate(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Takes a policy from an entry."""
    ACCESS_ENTRY.find(place, given)
    ACCESS_POLICY.delete(place, given)
    return {}


@answers("eks", "CreateAddon")
def create_addon(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """An add-on that is active at once."""
    owner, name = given["clusterName"], given["addonName"]
    arn = place.arn("eks", f"addon/{owner}/{name}/{uuid.uuid4()}")
    # AWS shows an association as the ARN that it gave it.
    roles = [f"{arn}/{item['serviceAccount']}" for item in given.get("podIdentityAssociations", [])]
    document = {
        "addonVersion": builds(name, cluster(place, owner)["version"])[0],
        "tags": {},
        **given,
        "podIdentityAssociations": roles,
        "status": "ACTIVE",
        "addonArn": arn,
        "createdAt": now(),
    }
    return {"addon": ADDON.put(place, document)}


answers("eks", "DeleteAddon")(ADDON.delete)


@answers("eks", "DescribeAddonVersions")
def versions(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """The builds of an add-on for a Kubernetes version, newest first; nothing of one that is unknown."""
    name = given["addonName"]
    found = builds(name, given["kubernetesVersion"])
    listed = [{"addonVersion": build, "architecture": ["amd64", "arm64"]} for build in found]
    return {"addons": [{"addonName": name, "addonVersions": listed}] if found else []}


def builds(name: str, kubernetes: str) -> list[str]:
    """Builds of an add-on for a Kubernetes version, newest first."""
    of_each = load("eks.json")["addons"].get(name, {})
    return of_each.get("*") or of_each.get(kubernetes, [])


def _network(place: Place, name: str, given: dict[str, Any]) -> Document:
    vpc_id = place.subnet(given["subnetIds"][0]).vpc_id
    group = place.moto("ec2").create_security_group(
        f"eks-cluster-sg-{name}-{uuid.uuid4().hex[:8]}",
        "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
        "as well as any managed workloads.",
        vpc_id=vpc_id,
        tags={f"kubernetes.io/cluster/{name}": "owned", "aws:eks:cluster-name": name},
    )
    return {
        "publicAccessCidrs": [],
        **given,
        "clusterSecurityGroupId": group.id,
        "vpcId": vpc_id,
    }
