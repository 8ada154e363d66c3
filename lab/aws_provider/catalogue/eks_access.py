"""Access entries, their policies, pod identities."""

from __future__ import annotations

from typing import Any

from lab.aws_provider.catalogue.eks_cluster import GONE
from lab.aws_provider.catalogue.tagging import by_arn
from lab.aws_provider.resource_type import (
    Description,
    ResourceType,
    Subject,
    Update,
    changed_by,
    fixed,
    output,
)


def _entry(subject: Subject) -> dict[str, str]:
    cluster, _, principal = subject.identifier.partition(":")
    return {"clusterName": cluster, "principalArn": principal}


def _update_entry(subject: Subject, _: set[str]) -> None:
    request: dict[str, Any] = {
        **_entry(subject),
        "kubernetesGroups": subject.inputs.get("kubernetesGroups") or [],
    }
    if subject.inputs.get("userName"):
        request["username"] = subject["userName"]
    subject.api.call("eks", "UpdateAccessEntry", request)


ACCESS_ENTRY = ResourceType(
    pulumi_type="aws:eks/accessEntry:AccessEntry",
    service="eks",
    inputs={
        **fixed("clusterName", "principalArn"),
        **fixed("type", default="STANDARD"),
        **changed_by("entry", "kubernetesGroups"),
        **changed_by("entry", "userName", create="username"),
    },
    create="CreateAccessEntry",
    identify=lambda subject, _: f"{subject['clusterName']}:{subject['principalArn']}",
    describe=lambda subject: subject.api.call("eks", "DescribeAccessEntry", _entry(subject))["accessEntry"],
    delete=lambda subject: subject.api.call("eks", "DeleteAccessEntry", _entry(subject)),
    updates={"entry": Update(_update_entry)},
    outputs={"accessEntryArn": output("accessEntryArn"), "userName": output("username")},
    identity=("clusterName", "principalArn"),
    gone=GONE,
    tagging=by_arn("eks", "accessEntryArn", tag_map=True),
)


def _association(subject: Subject) -> dict[str, str]:
    cluster, principal, policy = subject.identifier.split("#")
    return {"clusterName": cluster, "principalArn": principal, "policyArn": policy}


def _describe_association(subject: Subject) -> Description | None:
    wanted = _association(subject)
    policy = wanted.pop("policyArn")
    answer = subject.api.call("eks", "ListAssociatedAccessPolicies", wanted)
    found = answer["associatedAccessPolicies"]
    return next(({**wanted, **item} for item in found if item["policyArn"] == policy), None)


ACCESS_POLICY_ASSOCIATION = ResourceType(
    pulumi_type="aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    service="eks",
    inputs=fixed("clusterName", "principalArn", "policyArn", "accessScope"),
    create="AssociateAccessPolicy",
    identify=lambda subject, _: "#".join(
        subject[key] for key in ("clusterName", "principalArn", "policyArn")
    ),
    describe=_describe_association,
    delete=lambda subject: subject.api.call("eks", "DisassociateAccessPolicy", _association(subject)),
    outputs={
        "associatedAt": lambda _, found: found["associatedAt"].isoformat(),
        "modifiedAt": lambda _, found: found["modifiedAt"].isoformat(),
    },
    identity=("clusterName", "principalArn", "policyArn"),
    gone=GONE,
)


def _identity(subject: Subject) -> dict[str, str]:
    return {"clusterName": subject.get("clusterName"), "associationId": subject.identifier}


def _update_identity(subject: Subject, changed: set[str]) -> None:
    given = {key: subject.inputs[key] for key in changed if key in subject.inputs}
    subject.api.call("eks", "UpdatePodIdentityAssociation", {**_identity(subject), **given})


POD_IDENTITY_ASSOCIATION = ResourceType(
    pulumi_type="aws:eks/podIdentityAssociation:PodIdentityAssociation",
    service="eks",
    inputs={
        **fixed("clusterName", "namespace", "serviceAccount"),
        **changed_by("association", "roleArn", "targetRoleArn", "disableSessionTags", "policy"),
    },
    create="CreatePodIdentityAssociation",
    identify=lambda _, answer: answer["association"]["associationId"],
    describe=lambda subject: subject.api.call("eks", "DescribePodIdentityAssociation", _identity(subject))[
        "association"
    ],
    delete=lambda subject: subject.api.call("eks", "DeletePodIdentityAssociation", _identity(subject)),
    updates={"association": Update(_update_identity)},
    outputs={
        "associationArn": output("associationArn"),
        "associationId": output("associationId"),
        "externalId": output("externalId"),
    },
    identity=("clusterName", "namespace", "serviceAccount"),
    gone=GONE,
    tagging=by_arn("eks", "associationArn", tag_map=True),
)

TYPES = (ACCESS_ENTRY, ACCESS_POLICY_ASSOCIATION, POD_IDENTITY_ASSOCIATION)
