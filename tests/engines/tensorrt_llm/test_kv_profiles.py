"""What each KV transport brings into workers and engine files."""

from typing import Any

import pytest
import yaml

from engines.transport_setup import efa_image_tag
from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import AGGREGATED, B200, GB200, over, placed_recipe, placement

WORKERS = ("TrtllmPrefillWorker", "TrtllmDecodeWorker")


def _main(transport: Any, instance_type: str = B200, service: str = WORKERS[0]) -> dict[str, Any]:
    return main_of(pods_of(graph_spec(over(transport, instance_type)))[service])


@pytest.mark.parametrize(
    ("transport", "instance_type", "backend"),
    [
        ("tcp", B200, "UCX"),
        ("rdma", B200, "UCX"),
        ("mnnvl", GB200, "DEFAULT"),
        ("efa", B200, "NIXL"),
    ],
)
def test_prefill_and_decode_transfer_with_the_backend_of_the_transport(
    transport: Any, instance_type: str, backend: str
) -> None:
    files = engine_files(over(transport, instance_type))[1]
    for name in ("prefill.yaml", "decode.yaml"):
        transceiver = yaml.safe_load(files[name])["cache_transceiver_config"]
        assert transceiver == {"backend": backend, "max_tokens_in_buffer": 9216}


def test_an_aggregated_recipe_has_neither_transceiver_nor_profile() -> None:
    placed = placed_recipe(AGGREGATED, placement(B200))
    assert "cache_transceiver_config" not in engine_files(placed)[1]["worker.yaml"]
    worker = main_of(pods_of(graph_spec(placed))["TrtllmWorker"])
    assert not [name for name in worker["env"] if name.startswith(("UCX_", "FI_", "NCCL_"))]


@pytest.mark.parametrize("worker", WORKERS)
def test_mnnvl_turns_nvlink_between_nodes_on_for_nccl_and_ucx_without_privileges(worker: str) -> None:
    container = _main("mnnvl", GB200, worker)
    assert (
        container["env"]
        | {
            "NCCL_MNNVL_ENABLE": "1",
            "NCCL_CUMEM_ENABLE": "1",
            "UCX_CUDA_IPC_ENABLE_MNNVL": "y",
        }
        == container["env"]
    )
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["runAsNonRoot"] is True


@pytest.mark.parametrize("transport", ["tcp", "rdma", "efa"])
def test_on_gb200_every_other_transport_keeps_ucx_off_nvlink_between_nodes(transport: Any) -> None:
    assert _main(transport, GB200)["env"]["UCX_CUDA_IPC_ENABLE_MNNVL"] == "n"
    assert "UCX_CUDA_IPC_ENABLE_MNNVL" not in _main(transport, B200)["env"]


def test_rdma_pins_memory_as_root_with_three_capabilities_and_no_more() -> None:
    container = _main("rdma")
    assert container["securityContext"] == {
        "runAsUser": 0,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["DAC_OVERRIDE", "IPC_LOCK", "SYS_RESOURCE"]},
    }
    assert container["env"]["UCX_RNDV_SCHEME"] == "get_zcopy"


def test_efa_is_an_image_of_its_own_with_libfabric_and_a_privileged_container() -> None:
    container = _main("efa")
    assert container["image"] == "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1-efa-amd64"
    assert container["env"]["TRTLLM_NIXL_KVCACHE_BACKEND"] == "LIBFABRIC"
    assert {name: value for name, value in container["env"].items() if name.startswith("FI_")} == {
        "FI_PROVIDER": "efa",
        "FI_EFA_USE_DEVICE_RDMA": "1",
        "FI_EFA_ENABLE_SHM_TRANSFER": "0",
        "FI_EFA_ENABLE_SHM": "0",
    }
    # The API server refuses `privileged` beside allowPrivilegeEscalation: false.
    assert container["securityContext"] == {"runAsNonRoot": True, "runAsUser": 1000, "privileged": True}
    # Mounted from the host, /dev/infiniband would turn EFA off.
    assert "hostPath" not in str(graph_spec(over("efa")))


@pytest.mark.parametrize(
    ("version", "tag"),
    [
        ("1.2.0", "1.2.0-efa"),
        ("1.2.1", "1.2.1-efa-amd64"),
        ("1.3.1", "1.3.1-efa"),
        ("1.4.2", "1.4.2-efa"),
        ("1.10.0", "1.10.0-efa"),
    ],
)
def test_the_efa_image_has_the_tag_that_its_release_was_published_under(version: str, tag: str) -> None:
    assert efa_image_tag(version) == tag
