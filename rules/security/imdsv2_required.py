"""Nodes hand out their role's credentials only for a session token."""

from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.guarded import check_resources
from rules.reading.shapes import Undecided, mapping_at, text_at

TYPES = ("aws:ec2/launchTemplate:LaunchTemplate", "aws:ec2/instance:Instance")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource_type in TYPES:
        yield from check_resources(graph.of_type(resource_type), _check_options)


def _check_options(resource: Resource) -> Iterator[Observation]:
    options = mapping_at(resource.inputs, "metadataOptions")
    tokens = text_at(options, "httpTokens")
    if tokens == "required" or text_at(options, "httpEndpoint") == "disabled":
        return
    if tokens is None:
        raise Undecided("does not set metadataOptions.httpTokens: the image or the account decides")
    yield failed(
        resource,
        resource.name,
        f"has metadataOptions.httpTokens: {tokens}, so IMDSv1 answers without a token",
    )


RULE = Rule(
    id="imdsv2-required",
    title="Nodes answer IMDSv2 only",
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
    check=_check,
)
