"""What AWS would refuse half an hour into an `up`: read in the preview, with what to type instead."""

import pytest

from tests.stacks.changed_settings import Change, Settings, changed, said
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

SUBNETS = {"us-east-1b": "subnet-01234567", "us-east-1c": "subnet-01234568"}


@pytest.mark.parametrize(
    ("base", "change", "says"),
    [
        pytest.param(
            eks_b200_settings(),
            {
                "cluster.region": "us-west-1",
                "cluster.network.zones": ["us-west-1a", "us-west-1b"],
                "nodePools[0].zone": "us-west-1a",
            },
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-west-1a'\n"
            "  p6-b200.48xlarge was not offered in us-west-1 when EC2 was asked (2026-08)\n"
            "  allowed: a zone of ap-south-1, ap-south-2, eu-north-1, eu-west-3, us-east-1, "
            "us-east-2, us-west-2\n"
            "  try: another cluster.region; where EC2 offers it by now, add it to hardware/machines.yaml",
            id="a region without the type",
        ),
        pytest.param(
            eks_gb200_settings(),
            {"nodePools[0].zone": "us-east-1a"},
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-east-1a'\n"
            "  p6e-gb200.36xlarge is not offered there\n"
            "  allowed: us-east-1-dfw-2a, us-east-1-atl-2a, us-west-2-phx-2a\n"
            "  try: us-east-1-dfw-2a",
            id="trays in the region",
        ),
        pytest.param(
            eks_b200_settings(),
            {"nodePools[0].zone": "us-east-1-dfw-2a"},
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-east-1-dfw-2a'\n"
            "  p6-b200.48xlarge is not offered there\n"
            "  allowed: a zone of the region's own, no Local Zone\n"
            "  try: us-east-1a",
            id="machines in a Local Zone",
        ),
        pytest.param(
            eks_b200_settings(),
            {"cluster.network": {"kind": "existing", "vpcId": "vpc-01234567", "subnets": SUBNETS}},
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-east-1a'\n"
            "  cluster.network.subnets names no subnet there, so its nodes would have no network\n"
            "  allowed: us-east-1b, us-east-1c",
            id="an adopted network without a subnet there",
        ),
        pytest.param(
            eks_b200_settings(),
            {"modelCache.size": "2Ti"},
            "Pulumi.dev.yaml: modelCache.size = '2Ti'\n"
            "  FSx for Lustre has no file system of this size\n"
            "  allowed: 1200Gi, or a multiple of 2400Gi\n"
            "  try: 2400Gi",
            id="a file system of a size that is not sold",
        ),
        pytest.param(
            eks_b200_settings(),
            {"modelCache.size": "1000Gi"},
            "  allowed: 1200Gi, or a multiple of 2400Gi",
            id="a file system that is too small",
        ),
        pytest.param(
            eks_b200_settings(),
            {"modelCache.storage.zone": "us-east-1c"},
            "Pulumi.dev.yaml: modelCache.storage.zone = 'us-east-1c'\n"
            "  no subnet of the stack is there, or it is a Local Zone, which has no file system of FSx\n"
            "  allowed: us-east-1a, us-east-1b\n"
            "  try: us-east-1a",
            id="a file system without a subnet",
        ),
    ],
)
def test_a_place_or_size_that_cannot_be_is_refused_with_file_key_reason_and_fix(
    base: Settings, change: Change, says: str
) -> None:
    assert says in said(changed(base, change))
