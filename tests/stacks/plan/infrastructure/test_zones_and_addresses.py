from ipaddress import IPv4Network

import pytest

from stacks.plan.infrastructure.eks_plan import ZoneSubnets
from stacks.plan.infrastructure.network import divided
from tests.stacks.changed_settings import Settings, changed, said
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_gb200_settings

VPC = IPv4Network("10.0.0.0/16")


@pytest.mark.parametrize("zones", [["1a", "1b", "1c", "1d"], ["1d", "1b", "1a"]])
def test_a_zone_that_comes_or_goes_moves_no_subnet_of_another(zones: list[str]) -> None:
    def subnets(*zones: str) -> dict[str, ZoneSubnets]:
        return {each.zone: each for each in divided(VPC, [f"us-east-{zone}" for zone in zones])}

    before, after = subnets("1a", "1b", "1-dfw-2a"), subnets(*zones, "1-dfw-2a", "1-chi-1a")
    assert all(after[zone] == subnet for zone, subnet in before.items())


def test_more_zones_than_a_vpc_has_room_for_are_refused() -> None:
    def beside_a_local_zone(last: str) -> Settings:
        return changed(eks_gb200_settings(), {"cluster.network.zones": ["us-east-1a", f"us-east-1{last}"]})

    assert said(beside_a_local_zone("g")).startswith(
        "Pulumi.dev.yaml: cluster.network.zones = 'us-east-1a, us-east-1g, us-east-1-dfw-2a'\n"
        "  with those of the pools these are more zones than the VPC has addresses for\n"
    )
    assert resolved(beside_a_local_zone("f"))
