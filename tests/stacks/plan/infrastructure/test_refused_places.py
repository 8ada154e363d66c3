"""What AWS would refuse half an hour into an `up`: read in the preview, with what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.dev_settings import FILE, problems_of
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

if TYPE_CHECKING:
    from collections.abc import Callable

Settings = dict[str, Any]


def _in_another_region() -> Settings:
    settings = eks_b200_settings()
    settings["cluster"] |= {"region": "us-west-1"}
    settings["cluster"]["network"]["zones"] = ["us-west-1a", "us-west-1b"]
    settings["nodePools"][0]["zone"] = "us-west-1a"
    return settings


def _trays_in_the_region() -> Settings:
    settings = eks_gb200_settings()
    settings["nodePools"][0]["zone"] = "us-east-1a"
    return settings


def _machine_in_a_local_zone() -> Settings:
    settings = eks_b200_settings()
    settings["nodePools"][0]["zone"] = "us-east-1-dfw-2a"
    return settings


def _block_without_a_subnet() -> Settings:
    settings = eks_b200_settings()
    subnets = {"us-east-1b": "subnet-01234567", "us-east-1c": "subnet-01234568"}
    settings["cluster"]["network"] = {"kind": "existing", "vpcId": "vpc-01234567", "subnets": subnets}
    settings["nodePools"][0]["zone"] = "us-east-1a"
    return settings


def _long_names() -> Settings:
    settings = eks_b200_settings()
    settings["cluster"]["name"] = "c" * 30
    settings["nodePools"][0]["name"] = settings["serving"]["pool"] = "p" * 40
    return settings


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            _in_another_region,
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-west-1a'\n"
            "  p6-b200.48xlarge was not offered in us-west-1 when EC2 was asked (2026-08)\n"
            "  allowed: a zone of ap-south-1, ap-south-2, eu-north-1, eu-west-3, us-east-1, "
            "us-east-2, us-west-2\n"
            "  try: another cluster.region; where EC2 offers it by now, add it to hardware/offers.py",
        ),
        (
            _trays_in_the_region,
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-east-1a'\n"
            "  p6e-gb200.36xlarge is not offered there\n"
            "  allowed: us-east-1-dfw-2a, us-east-1-atl-2a, us-west-2-phx-2a\n"
            "  try: us-east-1-dfw-2a",
        ),
        (
            _machine_in_a_local_zone,
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-east-1-dfw-2a'\n"
            "  p6-b200.48xlarge is offered in the regions' own zones, not in Local Zones\n"
            "  try: us-east-1a",
        ),
        (
            _block_without_a_subnet,
            "Pulumi.dev.yaml: nodePools[0].zone = 'us-east-1a'\n"
            "  cluster.network.subnets names no subnet there, so its nodes would have no network\n"
            "  allowed: us-east-1b, us-east-1c",
        ),
        (
            _long_names,
            f"Pulumi.dev.yaml: nodePools[0].name = '{'p' * 40}'\n"
            f"  its node group would be called {'c' * 30}-{'p' * 40}, 71 characters\n"
            "  allowed: 63 with the cluster's name and a hyphen before it",
        ),
    ],
)
def test_a_place_that_cannot_be_is_refused_with_file_key_reason_and_fix(
    settings: Callable[[], Settings], says: str
) -> None:
    found = [problem.text(FILE) for problem in problems_of(settings())]
    assert says in found
