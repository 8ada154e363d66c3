"""EKS clusters."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.tagging import by_arn
from lab.aws_provider.resource_type import (
    NO_UPDATE,
    Input,
    ResourceType,
    Subject,
    Update,
    changed_by,
    fixed,
    of_the_provider,
    output,
)

GONE = frozenset({"ResourceNotFoundException"})
_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
_ACCESS = ("endpointPrivateAccess", "endpointPublicAccess", "publicAccessCidrs")
_PLACE = ("subnetIds", "securityGroupIds")


def _logging(enabled: list[str]) -> dict[str, Any]:
    return {"clusterLogging": [{"types": sorted(enabled), "enabled": True}]}


def _enabled_logs(live: Any, given: Any) -> Any:
    setups = (live or {}).get("clusterLogging", [])
    found = [kind for setup in setups if setup.get("enabled") for kind in setup["types"]]
    if given is None:
        return found or None
    return [*[kind for kind in given if kind in found], *[kind for kind in found if kind not in given]]


def _config(subject: Subject, **given: Any) -> None:
    subject.api.call("eks", "UpdateClusterConfig", {"name": subject.identifier, **given})


def _network(subject: Subject, _: set[str]) -> None:
    # EKS takes access to the endpoint and the place of the interfaces in two requests only.
    new, old = subject["vpcConfig"], subject.state.get("vpcConfig", {})
    for keys in (_ACCESS, _PLACE):
        changed = {key: new[key] for key in keys if new.get(key) is not None and new[key] != old.get(key)}
        if changed:
            whole = {key: new[key] for key in keys if new.get(key) is not None}
            _config(subject, resourcesVpcConfig=whole)


def _logs(subject: Subject, _: set[str]) -> None:
    wanted = subject.inputs.get("enabledClusterLogTypes") or []
    setups = [
        {"types": [kind for kind in _LOG_TYPES if (kind in wanted) is enabled], "enabled": enabled}
        for enabled in (True, False)
    ]
    _config(subject, logging={"clusterLogging": [setup for setup in setups if setup["types"]]})


def _access(subject: Subject, _: set[str]) -> None:
    _config(subject, accessConfig={"authenticationMode": subject["accessConfig"]["authenticationMode"]})


def _upgrade(subject: Subject, _: set[str]) -> None:
    request = {"name": subject.identifier, "version": subject["version"]}
    if subject.inputs.get("forceUpdateVersion"):
        request["force"] = True
    subject.api.call("eks", "UpdateClusterVersion", request)


CLUSTER = ResourceType(
    pulumi_type="aws:eks/cluster:Cluster",
    service="eks",
    inputs={
        **fixed("name", "roleArn"),
        # An empty cluster may be encrypted later by AWS's API; here that replaces, too.
        **fixed("encryptionConfig", single=True),
        **fixed("kubernetesNetworkConfig"),
        **fixed("bootstrapSelfManagedAddons", read=None),
        **changed_by("protection", "deletionProtection", default=False),
        **changed_by("upgrade policy", "upgradePolicy"),
        **changed_by("zonal shift", "zonalShiftConfig"),
        **changed_by("version", "version"),
        **changed_by("network", "vpcConfig", create="resourcesVpcConfig"),
        "accessConfig": Input(
            update="access", replaced_keys=frozenset({"bootstrapClusterCreatorAdminPermissions"})
        ),
        "enabledClusterLogTypes": Input(
            create="logging", update="logs", to_api=_logging, from_live=_enabled_logs
        ),
        **of_the_provider("forceUpdateVersion"),
    },
    create="CreateCluster",
    identify=lambda _, answer: answer["cluster"]["name"],
    describe=lambda subject: subject.api.call("eks", "DescribeCluster", {"name": subject.identifier})[
        "cluster"
    ],
    delete=lambda subject: subject.api.call("eks", "DeleteCluster", {"name": subject.identifier}),
    updates={
        "version": Update(_upgrade),
        "access": Update(_access),
        "protection": Update(
            lambda subject, _: _config(
                subject, deletionProtection=subject.inputs.get("deletionProtection", False)
            )
        ),
        "upgrade policy": Update(lambda subject, _: _config(subject, upgradePolicy=subject["upgradePolicy"])),
        "zonal shift": Update(
            lambda subject, _: _config(subject, zonalShiftConfig=subject["zonalShiftConfig"])
        ),
        "logs": Update(_logs),
        "network": Update(_network),
        **NO_UPDATE,
    },
    outputs={
        "arn": output("arn"),
        "endpoint": output("endpoint"),
        "certificateAuthority": output("certificateAuthority"),
        "identities": lambda _, found: [{"oidcs": [found["identity"]["oidc"]]}],
        "platformVersion": output("platformVersion"),
        "status": output("status"),
        "createdAt": lambda _, found: found["createdAt"].isoformat(),
        "version": output("version"),
        "vpcConfig": lambda _, found: {
            key: found["resourcesVpcConfig"][key] for key in ("vpcId", "clusterSecurityGroupId")
        },
    },
    volatile=frozenset({"platformVersion", "status"}),
    name="name",
    identity=("name",),
    gone=GONE,
    tagging=by_arn("eks", "arn", tag_map=True),
)

TYPES = (CLUSTER,)
