from ipaddress import IPv4Network

import pytest

from components.zone_subnets import zone_group
from stacks.plan.infrastructure.eks_plan import zone_named
from stacks.plan.infrastructure.network import divided
from tests.stacks.changed_settings import Settings, changed, said
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_gb200_settings

VPC = IPv4Network("10.0.0.0/16")


@pytest.mark.parametrize(
    ("name", "region", "group"),
    [
        ("us-east-1a", "us-east-1", None),
        ("ap-southeast-3c", "ap-southeast-3", None),
        ("us-east-1-dfw-2a", "us-east-1", "us-east-1-dfw-2"),
    ],
)
def test_a_zone_s_name_tells_its_region_and_whether_it_is_local(
    name: str, region: str, group: str | None
) -> None:
    zone = zone_named(name)
    assert (zone.region, zone.is_local) == (region, group is not None)
    assert group in {None, zone_group(name)}


def test_every_zone_has_addresses_of_its_own_within_the_vpc() -> None:
    subnets = divided(VPC, ["a", "b", "c"], ["local"])
    networks = [IPv4Network(text) for each in subnets for text in (each.private, each.public) if text]
    assert all(network.subnet_of(VPC) for network in networks)
    assert not any(
        one.overlaps(other) for index, one in enumerate(networks) for other in networks[index + 1 :]
    )
    assert [each.public is None for each in subnets] == [False, False, False, True]


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
