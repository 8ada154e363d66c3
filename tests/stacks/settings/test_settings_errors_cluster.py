"""A cluster of the stack's own: a mistake in one of its kinds is named where it was typed."""

import pytest

from tests.stacks.changed_settings import GONE, changed, said
from tests.support.eks_settings import BLOCK, eks_b200_settings

CASES: list[tuple[str, str, object, str]] = [
    (
        "an unknown kind of cluster",
        "cluster.kind",
        "aks",
        "Pulumi.dev.yaml: cluster.kind = 'aks'\n"
        "  not one of the known kinds\n"
        "  allowed: existing or eks\n"
        "  try: eks",
    ),
    (
        "no kind of cluster",
        "cluster.kind",
        GONE,
        "Pulumi.dev.yaml: cluster.kind\n  is missing\n  allowed: existing or eks",
    ),
    (
        "a context for a cluster that is yet to be made",
        "cluster.context",
        "gpu-cluster",
        "Pulumi.dev.yaml: cluster.context = 'gpu-cluster'\n"
        "  there is no setting 'context' here; it belongs to cluster of kind existing\n"
        "  allowed: kind, name, accountId, region, assumeRole, version, network, publicCidrs, "
        "administrators, access, roles, systemNodes, monitoring, sessionManager, nodeMonitoring, "
        "nodeRepair, tags, tagNodes",
    ),
    (
        "an unknown kind of network",
        "cluster.network.kind",
        "adopted",
        "Pulumi.dev.yaml: cluster.network.kind = 'adopted'\n"
        "  not one of the known kinds\n"
        "  allowed: own or existing",
    ),
    (
        "a network of the stack's own with somebody's VPC",
        "cluster.network.vpcId",
        "vpc-0123456789abcdef0",
        "Pulumi.dev.yaml: cluster.network.vpcId = 'vpc-0123456789abcdef0'\n"
        "  there is no setting 'vpcId' here; it belongs to cluster.network of kind existing\n"
        "  allowed: kind, cidr, zones, natPerZone",
    ),
    (
        "a subnet for a VPC",
        "cluster.network",
        {
            "kind": "existing",
            "vpcId": "subnet-0123456789abcdef0",
            "subnets": {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"},
        },
        "Pulumi.dev.yaml: cluster.network.vpcId = 'subnet-0123456789abcdef0'\n"
        "  not written as this setting has to be\n"
        "  allowed: the id of a VPC, such as vpc-0123456789abcdef0",
    ),
    (
        "one zone for a control plane that needs two",
        "cluster.network.zones",
        ["us-east-1a"],
        "Pulumi.dev.yaml: cluster.network.zones = ['us-east-1a']\n  out of range\n  allowed: at least 2",
    ),
    (
        "two zones of which one is none",
        "cluster.network.zones",
        ["us-east-1a", "useast1b"],
        "Pulumi.dev.yaml: cluster.network.zones[1] = 'useast1b'\n"
        "  not written as this setting has to be\n"
        "  allowed: a zone's name such as us-east-1a, or us-east-1-dfw-2a for a Local Zone",
    ),
    (
        "a region for a zone",
        "cluster.network.zones",
        ["us-east-1a", "us-east-1"],
        "Pulumi.dev.yaml: cluster.network.zones[1] = 'us-east-1'\n"
        "  not written as this setting has to be\n"
        "  allowed: a zone's name such as us-east-1a, or us-east-1-dfw-2a for a Local Zone\n"
        "  try: us-east-1a, a zone of it",
    ),
    (
        "a zone for a region",
        "cluster.region",
        "us-east-1-dfw-2a",
        "Pulumi.dev.yaml: cluster.region = 'us-east-1-dfw-2a'\n"
        "  not written as this setting has to be\n"
        "  allowed: an AWS region such as us-east-1\n"
        "  try: us-east-1, the region of that zone",
    ),
    (
        "a zone by its id",
        "nodePools[0].zone",
        "use1-az1",
        "Pulumi.dev.yaml: nodePools[0].zone = 'use1-az1'\n"
        "  not written as this setting has to be\n"
        "  allowed: a zone's name such as us-east-1a, or us-east-1-dfw-2a for a Local Zone\n"
        "  try: the name that your account has for this id: `aws ec2 describe-availability-zones`",
    ),
    (
        "five zones",
        "cluster.network.zones",
        [f"us-east-1{letter}" for letter in "abcde"],
        "Pulumi.dev.yaml: cluster.network.zones = ['us-east-1a', 'us-east-1b', 'us-east-1c', 'us-"
        "east-1d', 'u…\n"
        "  out of range\n"
        "  allowed: at most 4",
    ),
    (
        "one subnet for a control plane that needs two",
        "cluster.network",
        {"kind": "existing", "vpcId": "vpc-01234567", "subnets": {"us-east-1b": "subnet-01234567"}},
        "Pulumi.dev.yaml: cluster.network.subnets = {'us-east-1b': 'subnet-01234567'}\n"
        "  out of range\n"
        "  allowed: at least 2",
    ),
    (
        "an account without quotes",
        "cluster.accountId",
        123456789012,
        "Pulumi.dev.yaml: cluster.accountId = 123456789012\n"
        "  this is a number to YAML, which may not keep what was typed; text is needed\n"
        "  allowed: an AWS account of 12 digits, in quotes\n"
        "  try: put it in quotes",
    ),
    (
        "a name that would not fit into those of its parts",
        "cluster.name",
        "gpt-oss-on-somebody-elses-cluster",
        "Pulumi.dev.yaml: cluster.name = 'gpt-oss-on-somebody-elses-cluster'\n"
        "  not written as this setting has to be\n"
        "  allowed: small letters, digits and hyphens, a letter first, 30 at most",
    ),
    (
        "an unknown way to buy",
        "nodePools[0].purchase",
        {"kind": "ondemand"},
        "Pulumi.dev.yaml: nodePools[0].purchase.kind = 'ondemand'\n"
        "  not one of the known kinds\n"
        "  allowed: onDemand, spot, reservation or capacityBlock\n"
        "  try: onDemand",
    ),
    (
        "a window for a reservation that has none",
        "nodePools[0].purchase",
        {"kind": "reservation", "id": BLOCK["id"], "starts": BLOCK["starts"]},
        "Pulumi.dev.yaml: nodePools[0].purchase.starts = '2027-12-01T11:30:00Z'\n"
        "  there is no setting 'starts' here; it belongs to nodePools[].purchase of kind "
        "capacityBlock\n"
        "  allowed: kind, id, placementGroup",
    ),
    (
        "a block by the id of its offering",
        "nodePools[0].purchase.id",
        "cb-0123456789abcdef0",
        "Pulumi.dev.yaml: nodePools[0].purchase.id = 'cb-0123456789abcdef0'\n"
        "  not written as this setting has to be\n"
        "  allowed: the id of a capacity reservation, such as cr-0123456789abcdef0\n"
        "  try: that is the offering, the purchase printed cr-…",
    ),
    (
        "a window's start that YAML has rewritten",
        "nodePools[0].purchase.starts",
        "2026-12-01 11:30:00 +0000 UTC",
        "Pulumi.dev.yaml: nodePools[0].purchase.starts = '2026-12-01 11:30:00 +0000 UTC'\n"
        "  not written as this setting has to be\n"
        '  allowed: a time in UTC, in quotes, as in "2027-12-01T11:30:00Z"',
    ),
    (
        "a time that no clock shows",
        "nodePools[0].purchase.starts",
        "2026-12-01T25:30:00Z",
        "Pulumi.dev.yaml: nodePools[0].purchase.starts = '2026-12-01T25:30:00Z'\n"
        "  neither calendar nor clock has such a time\n"
        '  allowed: a time in UTC, in quotes, as in "2027-12-01T11:30:00Z"',
    ),
    (
        "an unknown phase",
        "nodePools[0].purchase.phase",
        "wait",
        "Pulumi.dev.yaml: nodePools[0].purchase.phase = 'wait'\n"
        "  not one of the known values\n"
        "  allowed: waiting, active or empty\n"
        "  try: waiting",
    ),
    (
        "an unknown file system",
        "modelCache.storage",
        {"kind": "lustre"},
        "Pulumi.dev.yaml: modelCache.storage.kind = 'lustre'\n"
        "  not one of the known kinds\n"
        "  allowed: fsxLustre, efs, ebs or instanceStore\n"
        "  try: fsxLustre",
    ),
    (
        "a throughput that is not sold",
        "modelCache.storage.throughput",
        300,
        "Pulumi.dev.yaml: modelCache.storage.throughput = 300\n"
        "  not one of the known values\n"
        "  allowed: 125, 250, 500 or 1000",
    ),
]


@pytest.mark.parametrize(
    ("key", "value", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_named_where_it_was_typed(key: str, value: object, text: str) -> None:
    assert said(changed(eks_b200_settings(), {key: value})) == text
