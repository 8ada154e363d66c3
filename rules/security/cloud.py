"""What AWS is told about nodes, disks and roles."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from resource_graph import Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity
from rules.reading.iam_documents import Grant, Statement, read_grants
from rules.reading.pods.pods import readable
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at, whole_number_at
from rules.rule import Subjects, graph_rule, rule
from rules.subjects import kubernetes_objects, resources_of_type

_LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_NODES = resources_of_type(_LAUNCH_TEMPLATE, "aws:ec2/instance:Instance")
_REACHES_PODS = 2
_EBS = ("ebs.csi.aws.com", "kubernetes.io/aws-ebs")
_ACCOUNT = "does not say whether it is encrypted: the account's default decides"
_EVERYTHING = frozenset({"*", "*:*"})
_MANAGED = frozenset({"AdministratorAccess", "PowerUserAccess", "IAMFullAccess"})
_READ_ONLY = ("Describe", "Get", "List")
_READS_CONTENT = (
    *("secretsmanager:getsecretvalue", "secretsmanager:batchgetsecretvalue"),
    *("ssm:getparameter", "ssm:getparameters", "ssm:getparametersbypath", "ssm:getparameterhistory"),
    *("s3:getobject", "s3:getobjectversion"),
)
"""Actions that look like reading a description and hand out what is kept; names of actions know no case."""
_GRANTS: Subjects[Grant] = Subjects(read_grants, lambda each: (each.resource, each.resource.name))
_READABLE_GRANTS: Subjects[Grant] = Subjects(lambda graph: readable(read_grants(graph)), _GRANTS.place)
"""Grants that can be read; the rule about wildcards reports the others."""


@graph_rule(
    severity=Severity.ADVISORY,
    reason="A disk or a snapshot that gets into other hands shows prompts, answers and tokens.",
    source=(
        "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html; "
        "https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html; "
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/encryption-at-rest.html (always on)"
    ),
    lines=EVERY_RELEASE,
    fix="Set encrypted, with a kmsKeyId where the account's own key will not do.",
)
def volumes_encrypted(graph: ResourceGraph) -> Iterator[Observation]:
    """Volumes and file systems are encrypted."""
    # FSx encrypts by itself, and there is no way to turn it off.
    for subjects, check in (
        (resources_of_type(_LAUNCH_TEMPLATE), _launch_template),
        (resources_of_type("aws:ebs/volume:Volume"), _volume),
        (resources_of_type("aws:efs/fileSystem:FileSystem"), _file_system),
        (kubernetes_objects("StorageClass"), _storage_class),
    ):
        yield from subjects.judge(graph, check)


def _launch_template(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    for mapping in mappings_at(resource.inputs, "blockDeviceMappings"):
        disk = mapping_at(mapping, "ebs")
        if disk:
            name = text_at(mapping, "deviceName") or "a disk"
            yield from _disk(disk, f"{name} of its nodes")


def _volume(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    return _disk(resource.inputs, "the volume")


def _storage_class(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    if text_at(resource.inputs, "provisioner") in _EBS:
        yield from _disk(mapping_at(resource.inputs, "parameters"), "a volume of this class")


def _disk(settings: Mapping[str, Value], what: str) -> Iterator[str]:
    encrypted = field(settings, "encrypted")
    if encrypted is None:
        raise Undecided(f"{what} {_ACCOUNT}")
    # Launch templates and StorageClasses have texts here.
    if encrypted not in (True, "true"):
        yield f"{what} is not encrypted"


def _file_system(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    if field(resource.inputs, "encrypted") is not True:
        yield "the file system is not encrypted, and cannot be later"


@rule(
    _NODES,
    severity=Severity.MANDATORY,
    reason=(
        "Under IMDSv1 one request that a service can be talked into is enough for the credentials of the "
        "node's role."
    ),
    source=(
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-options.html; "
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html (EC2.8, EC2.170)"
    ),
    lines=EVERY_RELEASE,
    fix="Set metadataOptions.httpTokens: required in the launch template.",
)
def imdsv2_required(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    """Nodes answer IMDSv2 only."""
    options = mapping_at(resource.inputs, "metadataOptions")
    tokens = text_at(options, "httpTokens")
    if tokens == "required" or text_at(options, "httpEndpoint") == "disabled":
        return
    if tokens is None:
        raise Undecided("does not set metadataOptions.httpTokens: the image or the account decides")
    yield f"has metadataOptions.httpTokens: {tokens}, so IMDSv1 answers without a token"


@rule(
    _NODES,
    severity=Severity.ADVISORY,
    reason="Every pod of the node can do what the node's role may, such as attach network interfaces.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html",
    lines=EVERY_RELEASE,
    fix="Set the hop limit to 1 and give pods roles by EKS Pod Identity or service accounts.",
)
def node_credentials_out_of_reach(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    """Pods cannot fetch the credentials of their node."""
    hops = whole_number_at(resource.inputs, "metadataOptions", "httpPutResponseHopLimit")
    if hops is not None and hops >= _REACHES_PODS:
        yield (
            f"has metadataOptions.httpPutResponseHopLimit: {hops}; 1 keeps the node's credentials from its "
            "pods"
        )


@rule(
    _GRANTS,
    severity=Severity.MANDATORY,
    reason=(
        "A role for one purpose that may do everything is the account, for whoever gets hold of one pod or "
        "node that has it."
    ),
    source=(
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege; "
        "https://docs.aws.amazon.com/securityhub/latest/userguide/iam-controls.html (IAM.1)"
    ),
    lines=EVERY_RELEASE,
    fix="Name the actions and the resources.",
)
def no_wildcard_iam(_: ResourceGraph, grant: Grant) -> Iterator[str]:
    """No IAM policy allows everything, or everybody."""
    for name in sorted(_MANAGED.intersection(grant.managed)):
        yield f"attaches the managed policy {name}"
    yield from filter(None, map(_too_wide, grant.statements))


def _too_wide(statement: Statement) -> str | None:
    if not _EVERYTHING.isdisjoint(statement.actions):
        return f"allows every action on {', '.join(statement.resources) or 'its resource'}"
    if statement.all_but:
        return f"allows every action but {', '.join(statement.all_but)} (NotAction)"
    return (
        "can be assumed by anybody: its principal is *, without a condition"
        if statement.for_anybody
        else None
    )


@rule(
    _READABLE_GRANTS,
    severity=Severity.ADVISORY,
    reason="A whole service, or a change or a secret of every resource, is more than one purpose needs.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    lines=EVERY_RELEASE,
    fix="List the actions that are used, on the resources of this stack; some actions take no resource.",
)
def narrow_iam(_: ResourceGraph, grant: Grant) -> Iterator[str]:
    """An IAM policy names its actions and resources."""
    for name in grant.managed:
        if name.endswith("FullAccess") and not name.startswith("IAM"):
            yield f"attaches the managed policy {name}"
    yield from filter(None, map(_wide, grant.statements))


def _wide(statement: Statement) -> str | None:
    services = [action for action in statement.actions if action.endswith(":*") and action != "*:*"]
    if services:
        return f"allows {', '.join(services)}"
    changing = [action for action in statement.actions if not _only_describes(action)]
    if "*" in statement.resources and changing:
        return f"allows {', '.join(changing)} on every resource"
    return None


def _only_describes(action: str) -> bool:
    _, colon, verb = action.partition(":")
    # A permission without a service is a wildcard, which another rule reports.
    if not colon:
        return True
    opens = any(fnmatchcase(content, action.lower()) for content in _READS_CONTENT)
    return verb.startswith(_READ_ONLY) and not opens
