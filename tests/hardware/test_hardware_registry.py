import dataclasses

import pytest
from pydantic import ValidationError

from hardware import ACCELERATORS, INSTANCE_TYPES, Accelerator, InstanceType, UltraServer, Zone, machines

ENTRIES: list[Accelerator | InstanceType] = [*ACCELERATORS.values(), *INSTANCE_TYPES.values()]
ULTRASERVERS = [server for node in INSTANCE_TYPES.values() for server in node.ultraservers]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_fact_names_its_source_and_the_date_it_was_read(entry: Accelerator | InstanceType) -> None:
    facts = {field.name for field in dataclasses.fields(entry)} - {"name", "sources", "prices"}
    assert set(entry.sources) == facts
    prices = entry.prices if isinstance(entry, InstanceType) else ()
    for source in (*entry.sources.values(), *(price.source for price in prices)):
        assert source.text
        assert source.date[:4].isdigit()


@pytest.mark.parametrize("server", ULTRASERVERS, ids=lambda server: server.name)
def test_an_ultraserver_names_its_source(server: UltraServer) -> None:
    assert server.source.text
    assert server.source.date[:4].isdigit()


@pytest.mark.parametrize("zone", [zone for node in INSTANCE_TYPES.values() for zone in node.zones])
def test_a_zone_names_its_source(zone: Zone) -> None:
    assert zone.source.text.startswith("https://")


@pytest.mark.parametrize("node", INSTANCE_TYPES.values(), ids=lambda node: node.name)
def test_an_instance_type_is_a_machine_that_its_gpu_is_built_into(node: InstanceType) -> None:
    host = node.accelerator.host
    assert node.cpu_architecture == host.cpu_architecture
    assert node.gpus in host.gpu_counts
    assert max(node.nvlink_domain_gpus) <= host.nvlink_domain_gpus
    assert node.nvlink_crosses_nodes == host.nvlink_crosses_nodes


def test_a_machine_with_gpus_that_nobody_described_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_WRITTEN", {"instance_types": [{"name": "p7", "accelerator": "B20"}]})
    with pytest.raises(ValidationError, match=r"p7\.accelerator\n  Value error, no accelerator is called so"):
        machines.read_machines(dict[str, InstanceType], "instance_types")
