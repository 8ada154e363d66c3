"""What is written to a volume is encrypted there."""

from collections.abc import Iterator, Mapping

from resource_graph import Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity
from rules.reading.guarded import check_messages
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at

_EBS = ("ebs.csi.aws.com", "kubernetes.io/aws-ebs")
_ACCOUNT = "does not say whether it is encrypted: the account's default decides"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    # FSx encrypts by itself, and there is no way to turn it off.
    for resource_type, check in (
        ("aws:ec2/launchTemplate:LaunchTemplate", _launch_template),
        ("aws:ebs/volume:Volume", _volume),
        ("aws:efs/fileSystem:FileSystem", _file_system),
    ):
        yield from check_messages(graph.of_type(resource_type), check)
    yield from check_messages(graph.kubernetes_objects("StorageClass"), _storage_class)


def _launch_template(resource: Resource) -> Iterator[str]:
    for mapping in mappings_at(resource.inputs, "blockDeviceMappings"):
        disk = mapping_at(mapping, "ebs")
        if disk:
            name = text_at(mapping, "deviceName") or "a disk"
            yield from _disk(disk, f"{name} of its nodes")


def _volume(resource: Resource) -> Iterator[str]:
    yield from _disk(resource.inputs, "the volume")


def _storage_class(resource: Resource) -> Iterator[str]:
    if text_at(resource.inputs, "provisioner") in _EBS:
        yield from _disk(mapping_at(resource.inputs, "parameters"), "a volume of this class")


def _disk(settings: Mapping[str, Value], what: str) -> Iterator[str]:
    encrypted = field(settings, "encrypted")
    if encrypted is None:
        raise Undecided(f"{what} {_ACCOUNT}")
    # Launch templates and StorageClasses have texts here.
    if encrypted not in (True, "true"):
        yield f"{what} is not encrypted"


def _file_system(resource: Resource) -> Iterator[str]:
    if field(resource.inputs, "encrypted") is not True:
        yield "the file system is not encrypted, and cannot be later"


RULE = Rule(
    id="volumes-encrypted",
    title="Volumes and file systems are encrypted",
    severity=Severity.ADVISORY,
    reason="A disk or a snapshot that gets into other hands shows prompts, answers and tokens.",
    source=(
        "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html; "
        "https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html; "
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/encryption-at-rest.html (always on)"
    ),
    lines=EVERY_RELEASE,
    fix="Set encrypted, with a kmsKeyId where the account's own key will not do.",
    check=_check,
)
