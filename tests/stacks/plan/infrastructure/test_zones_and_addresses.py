from ipaddress import IPv4Network

import pytest

from stacks.plan.infrastructure.network import divided
from tests.stacks.changed_settings import Settings, changed, said
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_gb200_settings

VPC = IPv4Network("10.0.0.0/16")


@pytest.mark.parametrize("zones", [["a", "b", "c", "d"], ["d", "b", "a"]])
def test_a_zone_that_comes_or_goes_moves_no_subnet_of_another(zones: list[str]) -> None:
    before = {each.zone: each for each in divided(VPC, ["a", "b"], ["local"])}
    after = {each.zone: each for each in divided(VPC, zones, ["local", "other"])}
    assert all(after[zone] == subnet for zone, subnet in before.items())


def test_more_zones_than_a_vpc_has_room_for_are_refused() -> None:
    def beside_a_local_zone(last: str) -> Settings:
        return changed(eks_gb200_settings(), {"cluster.network.zones": ["us-east-1a", f"us-east-1{last}"]})

    assert said(beside_a_local_zone("g")).startswith(
        "Pulumi.dev.yaml: cluster.network.zones = 'us-east-1a, us-east-1g, us-east-1-dfw-2a'\n"
        "  with those of the pools these are more zones than the VPC has addresses for\n"
    )
    assert resolved(beside_a_local_zone("f"))
