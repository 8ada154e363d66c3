"""What each KV transport brings into workers of vLLM."""

import json
import shlex
from typing import Any

import pytest

from engines.transport_setup import kv_profile
from engines.vllm.engine import Vllm
from engines.vllm.options import VllmOptions
from hardware import INSTANCE_TYPES, KV_TRANSPORTS
from tests.support.worker_starts import worker_start

B200, GB200 = INSTANCE_TYPES["p6-b200.48xlarge"], INSTANCE_TYPES["p6e-gb200.36xlarge"]
OPTIONS = VllmOptions.model_validate(
    {
        "tensor_parallel_size": 1,
        "max_num_seqs": 256,
        "kv_transfer_config": {"kv_connector": "NixlConnector", "kv_role": "kv_both"},
    }
)


def _profile(transport: Any, instance_type: Any = B200, version: str = "1.4.2", *, roce: bool = False) -> Any:
    words = Vllm().transports
    return kv_profile(transport, words, instance_type=instance_type, runtime_version=version, roce=roce)


@pytest.mark.parametrize(
    ("transport", "backend"),
    [("tcp", "UCX"), ("nvlink", "UCX"), ("rdma", "UCX"), ("mnnvl", "UCX"), ("efa", "LIBFABRIC")],
)
def test_the_connector_transfers_with_the_backend_of_the_transport(transport: Any, backend: str) -> None:
    options = Vllm().with_transport(OPTIONS, _profile(transport, GB200))
    words = shlex.split(Vllm().command_line(options, worker_start(role="prefill")))
    assert json.loads(words[words.index("--kv-transfer-config") + 1]) == {
        "kv_connector": "NixlConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {"backends": [backend]},
    }


def test_a_worker_without_the_connector_is_left_alone() -> None:
    alone = OPTIONS.model_copy(update={"kv_transfer_config": None})
    assert Vllm().with_transport(alone, _profile("tcp")) is alone


@pytest.mark.parametrize("transport", KV_TRANSPORTS)
def test_ucx_leaves_nvlink_between_nodes_alone_unless_it_is_the_way(transport: Any) -> None:
    environment = _profile(transport, GB200).environment
    assert environment["UCX_CUDA_IPC_ENABLE_MNNVL"] == ("y" if transport == "mnnvl" else "n")


def test_efa_needs_its_image_its_libraries_and_a_privileged_container() -> None:
    profile = _profile("efa")
    assert (profile.image_tag, profile.privileges.privileged) == ("1.4.2-efa", True)
    assert profile.environment["FI_PROVIDER"] == "efa"
    assert "/opt/amazon/efa/lib" in profile.library_directories


def test_rdma_pins_memory_as_root_and_roce_is_told_its_addresses() -> None:
    profile = _profile("rdma", roce=True)
    assert profile.privileges.run_as_root
    assert "IPC_LOCK" in profile.privileges.capabilities
    assert profile.environment["UCX_IB_GID_INDEX"] == "3"
    assert "UCX_IB_GID_INDEX" not in _profile("rdma").environment
