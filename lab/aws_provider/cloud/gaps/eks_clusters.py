"""EKS clusters: moto keeps neither access, upgrade policy nor deletion protection of one."""

from __future__ import annotations

import base64
import uuid
from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.fixtures import load
from lab.aws_provider.cloud.gaps.eks_access import enter_creator
from lab.aws_provider.cloud.gaps.eks_documents import (
    ACCESS_ENTRY,
    ACCESS_POLICY,
    CLUSTER,
    UPDATE,
    cluster,
    now,
    updated,
)
from lab.aws_provider.cloud.gaps.logs import LAST_LINES
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
_NO_CLUSTER_BEHIND = base64.b64encode(b"no cluster stands behind this one").decode()


@answers("eks", "CreateCluster")
def create(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """A cluster that is active at once, with the security group that EKS makes for one."""
    name = given["name"]
    vpc_id = place.subnet(given["resourcesVpcConfig"]["subnetIds"][0]).vpc_id  # pyright: ignore[reportOptionalMemberAccess] - a rule has looked
    server, authority = place.settings.eks_api_server() or (
        f"https://{uuid.uuid4().hex.upper()}.gr7.{place.region}.eks.amazonaws.com",
        _NO_CLUSTER_BEHIND,
    )
    issuer = f"https://oidc.eks.{place.region}.amazonaws.com/id/{uuid.uuid4().hex.upper()}"
    document = {
        **{key: value for key, value in given.items() if key in _KEPT},
        "arn": place.arn("eks", f"cluster/{name}"),
        "createdAt": now(),
        "version": given.get("version") or load("eks.json")["default_cluster_version"],
        "endpoint": server,
        "certificateAuthority": {"data": authority},
        "resourcesVpcConfig": _network(place, name, vpc_id, given["resourcesVpcConfig"]),
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": "172.20.0.0/16",
            "ipFamily": "ipv4",
            "elasticLoadBalancing": {"enabled": False},
            **given.get("kubernetesNetworkConfig", {}),
        },
        "logging": _logging(given.get("logging")),
        "identity": {"oidc": {"issuer": issuer}},
        "status": "ACTIVE",
        "platformVersion": "eks.1",
        "tags": given.get("tags", {}),
        "encryptionConfig": given.get("encryptionConfig", []),
        "health": {"issues": []},
        "accessConfig": {
            "bootstrapClusterCreatorAdminPermissions": True,
            "authenticationMode": "CONFIG_MAP",
            **given.get("accessConfig", {}),
        },
        "upgradePolicy": given.get("upgradePolicy", {"supportType": "EXTENDED"}),
        "deletionProtection": given.get("deletionProtection", False),
    }
    made = place.store.put(CLUSTER, place.key(name), document)
    access = document["accessConfig"]
    if access["bootstrapClusterCreatorAdminPermissions"] and access["authenticationMode"] != "CONFIG_MAP":
        enter_creator(place, name)
    return {"cluster": made}


@answers("eks", "DescribeCluster")
def describe(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The cluster."""
    return {"cluster": cluster(place, given["name"])}


@answers("eks", "ListClusters")
def names(place: Place, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - as all handlers
    """Names, all on one page."""
    return {"clusters": [item["name"] for item in place.store.all(CLUSTER, place.key(""))]}


@answers("eks", "DeleteCluster")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes the cluster and its security group."""
    document = cluster(place, given["name"])
    place.store.delete(CLUSTER, place.key(given["name"]))
    for kind in (ACCESS_ENTRY, ACCESS_POLICY):
        for key, _ in place.store.items(kind, place.key(given["name"], "")):
            place.store.delete(kind, key)
    if any(item["enabled"] for item in document["logging"]["clusterLogging"]):
        place.store.put(LAST_LINES, place.key(f"/aws/eks/{given['name']}/cluster"), {})
    place.ec2.delete_security_group(
        group_id=document["resourcesVpcConfig"]["clusterSecurityGroupId"], name=None
    )
    return {"cluster": {**document, "status": "DELETING"}}


@answers("eks", "UpdateClusterConfig")
def configure(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Network access, logging, authentication mode, upgrade policy or deletion protection."""
    document = cluster(place, given["name"])
    what = "ConfigUpdate"
    if "resourcesVpcConfig" in given:
        document["resourcesVpcConfig"].update(given["resourcesVpcConfig"])
        what = "EndpointAccessUpdate"
    if "logging" in given:
        document["logging"] = _logging(given["logging"])
        what = "LoggingUpdate"
    for key in ("accessConfig", "upgradePolicy", "zonalShiftConfig", "remoteNetworkConfig"):
        if key in given:
            document[key] = {**document.get(key, {}), **given[key]}
    if "deletionProtection" in given:
        document["deletionProtection"] = given["deletionProtection"]
    return updated(place, CLUSTER, document, given["name"], what=what)


@answers("eks", "UpdateClusterVersion")
def upgrade(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The control plane's version; rules say which may follow which."""
    document = {**cluster(place, given["name"]), "version": given["version"]}
    return updated(place, CLUSTER, document, given["name"], what="VersionUpdate")


@answers("eks", "DescribeUpdate")
def describe_update(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """An update, which has succeeded."""
    found = place.store.get(UPDATE, place.key(given["name"], given["updateId"]))
    if found is None:
        raise Refused("ResourceNotFoundException", f"No update found for ID: {given['updateId']}")
    return {"update": {key: value for key, value in found.items() if key != "of"}}


_KEPT = frozenset(
    {
        "name",
        "roleArn",
        "computeConfig",
        "storageConfig",
        "zonalShiftConfig",
        "remoteNetworkConfig",
        "outpostConfig",
        "controlPlaneScalingConfig",
    }
)


def _network(place: Place, name: str, vpc_id: str, given: dict[str, Any]) -> Document:
    group = place.ec2.create_security_group(
        f"eks-cluster-sg-{name}-{uuid.uuid4().hex[:8]}",
        "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
        "as well as any managed workloads.",
        vpc_id=vpc_id,
        tags={f"kubernetes.io/cluster/{name}": "owned", "aws:eks:cluster-name": name},
    )
    return {
        "endpointPublicAccess": True,
        "endpointPrivateAccess": False,
        "publicAccessCidrs": ["0.0.0.0/0"] if given.get("endpointPublicAccess", True) else [],
        "securityGroupIds": [],
        **given,
        "clusterSecurityGroupId": group.id,
        "vpcId": vpc_id,
    }


def _logging(given: dict[str, Any] | None) -> Document:
    enabled = {
        kind
        for setup in (given or {}).get("clusterLogging", [])
        if setup.get("enabled")
        for kind in setup.get("types", [])
    }
    on, off = ([kind for kind in _LOG_TYPES if (kind in enabled) is wanted] for wanted in (True, False))
    setups = [{"types": on, "enabled": True}, {"types": off, "enabled": False}]
    return {"clusterLogging": [setup for setup in setups if setup["types"]]}
