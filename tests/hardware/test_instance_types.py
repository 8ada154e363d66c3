"""What holds of every instance type, and the units that some are sold in."""

import pytest

from hardware import INSTANCE_TYPES, UltraServer

# name: $/h of a node on demand, $/h of a GPU in a Capacity Block, as published
PRICES = {
    "p6-b200.48xlarge": (113.9328, 12.355),
    "p6-b300.48xlarge": (142.416, 14.04),
    "p6e-gb200.36xlarge": (None, 10.582),
    "p5en.48xlarge": (63.296, 6.241),
    "p5e.48xlarge": (None, 5.97),
    "p5.48xlarge": (55.04, 5.191),
    "p5.4xlarge": (6.88, None),
}
# name: trays, GPUs, $/h
ULTRASERVERS = {
    "u-p6e-gb200x36": (9, 36, 380.952),
    "u-p6e-gb200x72": (18, 72, 761.904),
}


@pytest.mark.parametrize("name", INSTANCE_TYPES)
def test_a_node_costs_what_is_published_and_on_demand_where_it_is_sold_so(name: str) -> None:
    node = INSTANCE_TYPES[name]
    on_demand, block = PRICES[name]
    published = {"on demand": on_demand, "Capacity Block": block and round(block * node.gpus, 4)}
    # In this order: where nobody says how nodes are bought, the first price counts.
    assert [(each.option, round(each.usd_per_gpu_hour * node.gpus, 4)) for each in node.prices] == [
        (option, usd) for option, usd in published.items() if usd is not None
    ]
    assert ("on demand" in node.purchase_options) == (on_demand is not None)


@pytest.mark.parametrize("name", INSTANCE_TYPES)
def test_only_gb200_is_sold_by_the_ultraserver(name: str) -> None:
    sold = {server.name for server in INSTANCE_TYPES[name].ultraservers}
    assert sold == (set(ULTRASERVERS) if name == "p6e-gb200.36xlarge" else set())


@pytest.mark.parametrize("server", INSTANCE_TYPES["p6e-gb200.36xlarge"].ultraservers, ids=lambda s: s.name)
def test_an_ultraserver_is_what_aws_says_and_the_sum_of_its_trays(server: UltraServer) -> None:
    tray = INSTANCE_TYPES["p6e-gb200.36xlarge"]
    [price] = tray.prices
    assert (server.trays, server.gpus) == ULTRASERVERS[server.name][:2]
    assert server.gpus * price.usd_per_gpu_hour == pytest.approx(ULTRASERVERS[server.name][2])
    assert server.gpus == server.trays * tray.gpus
    assert server.gpus in tray.nvlink_domain_gpus


def test_gb200_is_documented_in_the_dallas_local_zone_alone() -> None:
    zones = {zone.name: zone for zone in INSTANCE_TYPES["p6e-gb200.36xlarge"].zones}
    assert set(zones) == {"us-east-1-dfw-2a", "us-east-1-atl-2a", "us-west-2-phx-2a"}
    prices = {name for name, zone in zones.items() if "capacityblocks/pricing" in zone.source.text}
    assert prices == {"us-east-1-atl-2a", "us-west-2-phx-2a"}
