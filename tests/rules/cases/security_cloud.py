"""Disks, nodes' credentials and roles on AWS."""

import json
from typing import Any

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, document
from tests.rules.exports import LATER, resource, unset

ENCRYPTED = "volumes-encrypted"
IMDS = "imdsv2-required"
REACH = "node-credentials-out-of-reach"
WILDCARD = "no-wildcard-iam"
NARROW = "narrow-iam"

EKS, OURS = "program-on-eks", "disagg-gb200-on-eks"
TEMPLATE, OUR_TEMPLATE = "LaunchTemplate/b200", "LaunchTemplate/gb200-nodes-template"
DISK = "inputs.blockDeviceMappings.0.ebs"
POLICY, ROLE, ATTACHMENT = "Policy/results", "Role/nodes", "RolePolicyAttachment/worker-nodes"


def _statement(**statement: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": {"Effect": "Allow", **statement}})


def _policy(**statement: Any) -> Edit:
    return resource(POLICY, "inputs.policy", _statement(**statement))


_CLASS = document("""
type: kubernetes:storage.k8s.io/v1:StorageClass
name: disks
inputs:
  apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: disks}
  provisioner: ebs.csi.aws.com
  parameters: {type: gp3, encrypted: "false"}
""")

CASES = (
    Case(
        ENCRYPTED,
        "disks, a volume, files and a class in plain",
        EKS,
        (
            resource(TEMPLATE, f"{DISK}.encrypted", "false"),
            resource("Volume/results", "inputs.encrypted", False),
            unset("FileSystem/models", "inputs.encrypted"),
            _CLASS,
        ),
        failed(ENCRYPTED, "b200", "results", "models", "disks"),
        ("/dev/xvda of its nodes is not encrypted", "the file system is not encrypted, and cannot be later"),
    ),
    Case(
        ENCRYPTED,
        "disks that leave it to the account",
        EKS,
        (
            unset(TEMPLATE, f"{DISK}.encrypted"),
            unset("Volume/results", "inputs.encrypted"),
            _CLASS,
            unset("StorageClass/disks", "inputs.parameters.encrypted"),
        ),
        undecided(ENCRYPTED, "b200", "results", "disks"),
        ("the account's default decides",),
    ),
    Case(
        ENCRYPTED,
        "a file system of which it is not known yet",
        EKS,
        (resource("FileSystem/models", "inputs.encrypted", LATER),),
        undecided(ENCRYPTED, "models"),
    ),
    Case(
        ENCRYPTED,
        "disks of our trays, our class and our cache in plain",
        OURS,
        (
            resource(OUR_TEMPLATE, f"{DISK}.encrypted", "false"),
            resource("StorageClass/addons-volumes", "inputs.parameters.encrypted", "false"),
            resource("FileSystem/cache-storage-file-system", "inputs.encrypted", False),
        ),
        failed(ENCRYPTED, "gb200-nodes-template", "addons-volumes", "cache-storage-file-system"),
    ),
    Case(
        IMDS,
        "credentials without a token",
        EKS,
        (resource(TEMPLATE, "inputs.metadataOptions.httpTokens", "optional"),),
        failed(IMDS, "b200"),
        ("has metadataOptions.httpTokens: optional",),
    ),
    Case(
        IMDS,
        "a template that leaves it to the image",
        EKS,
        (unset(TEMPLATE, "inputs.metadataOptions"),),
        undecided(IMDS, "b200"),
        ("the image or the account decides",),
    ),
    Case(
        IMDS,
        "no metadata at all",
        EKS,
        (
            resource(
                TEMPLATE, "inputs.metadataOptions", {"httpEndpoint": "disabled", "httpTokens": "optional"}
            ),
        ),
        frozenset(),
    ),
    Case(
        IMDS,
        "options that are not known yet",
        EKS,
        (resource(TEMPLATE, "inputs.metadataOptions", LATER),),
        undecided(IMDS, "b200"),
    ),
    Case(
        REACH,
        "credentials that pods can fetch",
        EKS,
        (resource(TEMPLATE, "inputs.metadataOptions.httpPutResponseHopLimit", 2),),
        failed(REACH, "b200"),
        ("has metadataOptions.httpPutResponseHopLimit: 2; 1 keeps",),
    ),
    Case(
        REACH,
        "credentials of our trays that pods can fetch",
        OURS,
        (resource(OUR_TEMPLATE, "inputs.metadataOptions.httpPutResponseHopLimit", 2),),
        failed(REACH, "gb200-nodes-template"),
    ),
    Case(
        WILDCARD,
        "everything on everything",
        EKS,
        (_policy(Action="*", Resource="*"),),
        failed(WILDCARD, "results"),
        ("allows every action on *",),
    ),
    Case(
        WILDCARD,
        "everything but one service",
        EKS,
        (_policy(NotAction=["iam:*"], Resource="*"),),
        failed(WILDCARD, "results"),
        ("allows every action but iam:* (NotAction)",),
    ),
    Case(
        WILDCARD,
        "a role for anybody",
        EKS,
        (
            resource(
                ROLE, "inputs.assumeRolePolicy", _statement(Action="sts:AssumeRole", Principal={"AWS": "*"})
            ),
        ),
        failed(WILDCARD, "nodes"),
        ("can be assumed by anybody",),
    ),
    Case(
        WILDCARD,
        "a role for anybody of one organisation",
        EKS,
        (
            resource(
                ROLE,
                "inputs.assumeRolePolicy",
                _statement(
                    Action="sts:AssumeRole",
                    Principal="*",
                    Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}},
                ),
            ),
        ),
        frozenset(),
    ),
    Case(
        WILDCARD,
        "an administrator's policy, attached and listed",
        EKS,
        (
            resource(ATTACHMENT, "inputs.policyArn", "arn:aws:iam::aws:policy/AdministratorAccess"),
            resource(ROLE, "inputs.managedPolicyArns", ["arn:aws:iam::aws:policy/IAMFullAccess"]),
            resource(ROLE, "inputs.inlinePolicies", [{"name": "all", "policy": _statement(Action=["*:*"])}]),
        ),
        failed(WILDCARD, "worker-nodes", "nodes"),
        (
            "attaches the managed policy AdministratorAccess",
            "managed policy IAMFullAccess",
            "on its resource",
        ),
    ),
    Case(
        WILDCARD,
        "everything that is refused",
        EKS,
        (_policy(Effect="Deny", Action="*", Resource="*"),),
        frozenset(),
    ),
    Case(
        WILDCARD,
        "policies that are not known yet, no JSON or malformed",
        EKS,
        (
            resource(POLICY, "inputs.policy", LATER),
            resource(ROLE, "inputs.assumeRolePolicy", "{"),
            resource(ATTACHMENT, "inputs.policyArn", LATER),
        ),
        undecided(WILDCARD, "results", "nodes", "worker-nodes"),
        ("the policy is known only after the update", "the policy is no JSON"),
    ),
    Case(
        WILDCARD,
        "a document that is a mapping with a part of another shape",
        EKS,
        (resource(POLICY, "inputs.policy", {"Statement": [{"Effect": "Allow", "Action": [7]}]}),),
        undecided(WILDCARD, "results"),
        ("a part of Action is not known, or no text",),
    ),
    Case(
        NARROW,
        "a whole service",
        EKS,
        (_policy(Action=["s3:*"], Resource="arn:aws:s3:::results/*"),),
        failed(NARROW, "results"),
        ("allows s3:*",),
    ),
    Case(
        NARROW,
        "a change to every resource",
        EKS,
        (_policy(Action=["ec2:DescribeInstances", "ec2:DeleteVolume"], Resource="*"),),
        failed(NARROW, "results"),
        ("allows ec2:DeleteVolume on every resource",),
    ),
    Case(
        NARROW,
        "a look at every resource",
        EKS,
        (_policy(Action=["ec2:DescribeInstances", "s3:ListAllMyBuckets"], Resource="*"),),
        frozenset(),
    ),
    *(
        Case(
            NARROW,
            f"{action} of every resource",
            EKS,
            (_policy(Action=[action, "ecr:GetAuthorizationToken"], Resource="*"),),
            failed(NARROW, "results"),
            (f"allows {action} on every resource",),
        )
        for action in (
            "secretsmanager:GetSecretValue",
            "secretsmanager:getsecret*",
            "ssm:Get*",
            "s3:GetObject",
        )
    ),
    Case(
        NARROW,
        "one secret",
        EKS,
        (_policy(Action=["secretsmanager:GetSecretValue"], Resource="arn:aws:secretsmanager:::secret:hf-*"),),
        frozenset(),
    ),
    Case(
        NARROW,
        "a managed policy for a whole service",
        EKS,
        (resource(ATTACHMENT, "inputs.policyArn", "arn:aws:iam::aws:policy/AmazonFSxFullAccess"),),
        failed(NARROW, "worker-nodes"),
        ("attaches the managed policy AmazonFSxFullAccess",),
    ),
)
