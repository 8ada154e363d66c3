"""The interfaces of a node, and those that a pod asks for."""

import pytest

from hardware import INSTANCE_TYPES, InstanceType

# GPUs of a pod -> EFA interfaces that it requests
PER_POD = {
    "p6-b200.48xlarge": {1: 1, 4: 4, 8: 8},
    "p6-b300.48xlarge": {1: 2, 4: 8, 8: 16},
    "p6e-gb200.36xlarge": {1: 4, 2: 4, 4: 4},
    "p5en.48xlarge": {1: 2, 4: 8, 8: 16},
    "p5e.48xlarge": {1: 4, 4: 16, 8: 32},
    "p5.48xlarge": {1: 4, 4: 16, 8: 32},
    "p5.4xlarge": {1: 1},
}
NODES = [INSTANCE_TYPES[name] for name in PER_POD]


def _id(node: InstanceType) -> str:
    return node.name


@pytest.mark.parametrize("node", NODES, ids=_id)
def test_one_interface_takes_an_ip_address_and_it_is_the_primary_one(node: InstanceType) -> None:
    with_address = [each for each in node.network.interfaces if each.kind == "interface"]
    assert [(each.card, each.device) for each in with_address] == [(0, 0)]


@pytest.mark.parametrize("node", NODES, ids=_id)
def test_a_pod_requests_the_efa_interfaces_of_its_gpus(node: InstanceType) -> None:
    for gpus, interfaces in PER_POD[node.name].items():
        assert node.efa_interfaces_per_pod(gpus) == interfaces


@pytest.mark.parametrize("gpus", [0, 5])
def test_a_pod_that_cannot_exist_on_a_tray_is_an_error(gpus: int) -> None:
    with pytest.raises(ValueError, match=r"a pod on p6e-gb200\.36xlarge has 1 to 4 GPUs"):
        INSTANCE_TYPES["p6e-gb200.36xlarge"].efa_interfaces_per_pod(gpus)


def test_only_p5_4xlarge_cannot_reach_gpu_memory_over_efa() -> None:
    assert {node.name for node in NODES if not node.gpudirect_rdma} == {"p5.4xlarge"}
