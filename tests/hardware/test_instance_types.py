"""Every number here is typed from the published sources, not read from the registry."""

import pytest

from hardware import INSTANCE_TYPES, UltraServer
from hardware.source import CAPACITY_BLOCK_PRICES

# name: GPU, GPUs, architecture, vCPUs, GiB, NVLink domains, NVMe disks, GB each, $/h of a node on demand,
#       $/h of a GPU in a Capacity Block
PUBLISHED = {
    "p6-b200.48xlarge": ("B200", 8, "amd64", 192, 2048, (8,), 8, 3800, 113.9328, 12.355),
    "p6-b300.48xlarge": ("B300", 8, "amd64", 192, 4096, (8,), 8, 3800, 142.416, 14.04),
    "p6e-gb200.36xlarge": ("GB200", 4, "arm64", 144, 960, (36, 72), 3, 7500, None, 10.582),
    "p5en.48xlarge": ("H200", 8, "amd64", 192, 2048, (8,), 8, 3800, 63.296, 6.241),
    "p5e.48xlarge": ("H200", 8, "amd64", 192, 2048, (8,), 8, 3800, None, 5.97),
    "p5.48xlarge": ("H100", 8, "amd64", 192, 2048, (8,), 8, 3800, 55.04, 5.191),
    "p5.4xlarge": ("H100", 1, "amd64", 16, 256, (1,), 1, 3800, 6.88, None),
}
PURCHASE_OPTIONS = {
    "p6-b200.48xlarge": {"on-demand", "spot", "capacity-block"},
    "p6-b300.48xlarge": {"on-demand", "spot", "capacity-block"},
    "p6e-gb200.36xlarge": {"capacity-block"},
    "p5en.48xlarge": {"on-demand", "spot", "capacity-block"},
    "p5e.48xlarge": {"spot", "capacity-block"},
    "p5.48xlarge": {"on-demand", "spot", "capacity-block"},
    "p5.4xlarge": {"on-demand", "spot", "capacity-block"},
}
# name: trays, GPUs, $/h
ULTRASERVERS = {
    "u-p6e-gb200x36": (9, 36, 380.952),
    "u-p6e-gb200x72": (18, 72, 761.904),
}


def test_the_registry_holds_these_instance_types_and_no_other() -> None:
    assert set(INSTANCE_TYPES) == set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_instance_type_is_what_aws_says(name: str) -> None:
    node = INSTANCE_TYPES[name]
    on_demand = node.on_demand_usd_per_gpu_hour
    assert node.name == name
    assert (
        node.accelerator.name,
        node.gpus,
        node.cpu_architecture,
        node.vcpus,
        node.memory_gib,
        node.nvlink_domain_gpus,
        node.local_nvme.count,
        node.local_nvme.gigabytes_each,
        None if on_demand is None else round(on_demand * node.gpus, 4),
        node.capacity_block_usd_per_gpu_hour,
    ) == PUBLISHED[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_instance_type_is_bought_in_the_ways_that_aws_offers(name: str) -> None:
    node = INSTANCE_TYPES[name]
    assert set(node.purchase_options) == PURCHASE_OPTIONS[name]
    assert ("on-demand" in node.purchase_options) == (node.on_demand_usd_per_gpu_hour is not None)


@pytest.mark.parametrize("name", PUBLISHED)
def test_only_gb200_is_sold_by_the_ultraserver(name: str) -> None:
    sold = {server.name for server in INSTANCE_TYPES[name].ultraservers}
    assert sold == (set(ULTRASERVERS) if name == "p6e-gb200.36xlarge" else set())


@pytest.mark.parametrize("server", INSTANCE_TYPES["p6e-gb200.36xlarge"].ultraservers, ids=lambda s: s.name)
def test_an_ultraserver_is_what_aws_says_and_the_sum_of_its_trays(server: UltraServer) -> None:
    assert (server.trays, server.gpus, server.usd_per_hour) == ULTRASERVERS[server.name]
    tray = INSTANCE_TYPES["p6e-gb200.36xlarge"]
    assert server.gpus == server.trays * tray.gpus
    assert server.gpus in tray.nvlink_domain_gpus
    assert server.usd_per_hour == pytest.approx(server.gpus * 10.582)
    # `explain` says both prices under one source and date.
    assert server.price_source == tray.sources["capacity_block_usd_per_gpu_hour"]


def test_gb200_is_documented_in_the_dallas_local_zone_alone() -> None:
    zones = {zone.name: zone for zone in INSTANCE_TYPES["p6e-gb200.36xlarge"].zones}
    assert set(zones) == {"us-east-1-dfw-2a", "us-east-1-atl-2a", "us-west-2-phx-2a"}
    prices = {name for name, zone in zones.items() if zone.source is CAPACITY_BLOCK_PRICES}
    assert prices == {"us-east-1-atl-2a", "us-west-2-phx-2a"}
