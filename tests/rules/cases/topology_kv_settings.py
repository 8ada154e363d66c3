"""How engines and libraries are set up for the transport of the KV cache."""

from tests.rules import kv_edits as kv
from tests.rules.case import TWO_B200, TWO_GB200, On
from tests.rules.edits import Edit, drop, engine_file
from tests.rules.serving_edits import of_service, runtime

SETTINGS = "kv-transport-settings"


def trtllm_nvlink(**value: object) -> tuple[Edit, ...]:
    """The third variable of the shipped graph on GB200."""
    path = "extraPodSpec.mainContainer.env[2]"
    return tuple(
        of_service(worker, path, {"name": "UCX_CUDA_IPC_ENABLE_MNNVL", **value}) for worker in kv.TRTLLM
    )


def trtllm_over_efa(**variables: str) -> tuple[Edit, ...]:
    """The shipped graph on B200 with EFA: its first two variables make room for libfabric's."""
    own = {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1", **variables}
    listed = [{"name": name, "value": value} for name, value in own.items()]
    edits: list[Edit] = []
    for worker, gpus in zip(kv.TRTLLM, ("1", "4"), strict=True):
        edits += [
            of_service(worker, f"resources.{kind}.custom", {kv.EFA: gpus}) for kind in ("requests", "limits")
        ]
        edits += [of_service(worker, "envs", listed), runtime(worker, "1.2.1-efa-amd64")]
    return tuple(edits)


CASES = (
    On(SETTINGS, kv.BASE, "Prefill").advises(
        "EFA without libfabric's plugin",
        "uses EFA without LIBFABRIC among the backends of its NixlConnector, which",
        kv.connector(kv.PREFILL, config='{"kv_connector":"NixlConnector","kv_role":"kv_both"}'),
    ),
    On(SETTINGS, kv.BASE, *kv.WORKERS).advises(
        "EFA without libfabric's variables",
        "uses EFA without FI_PROVIDER=efa, which the publisher's EFA guide has",
        drop(kv.DGD, "spec.env[3]"),
    ),
    On(SETTINGS, kv.BASE, *kv.WORKERS).advises(
        "EFA on GB200 with NVLink between nodes left to UCX",
        "has UCX_CUDA_IPC_ENABLE_MNNVL try on nodes whose NVLink leads to others",
        kv.ON_GB200,
        kv.variable("UCX_CUDA_IPC_ENABLE_MNNVL", "try"),
        pools=TWO_GB200,
    ),
    On(SETTINGS, kv.BASE, *kv.WORKERS).advises(
        "NVLink between vLLM pods",
        "without --enable-cumem-allocator or --enable-sleep-mode and UCX_CUDA_IPC_ENABLE_MNNVL=y",
        "has expandable_segments in PYTORCH_CUDA_ALLOC_CONF",
        kv.ON_NVLINK,
        kv.variable("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", kv.DECODE),
        drop(kv.DGD, kv.main(kv.PREFILL, "env")),
        pools=TWO_GB200,
    ),
    On(SETTINGS, "disagg-b200", *kv.TRTLLM).advises(
        "TensorRT-LLM over EFA by way of UCX",
        "uses EFA without cache_transceiver_config.backend NIXL (it is UCX)",
        trtllm_over_efa(),
        pools=TWO_B200,
    ),
    On(SETTINGS, "disagg-b200", *kv.TRTLLM).advises(
        "TensorRT-LLM over EFA by NIXL without its plugin",
        ("uses EFA without TRTLLM_NIXL_KVCACHE_BACKEND=LIBFABRIC", "sets NIXL_BACKEND beside"),
        trtllm_over_efa(NIXL_BACKEND="LIBFABRIC"),
        *(
            engine_file(f"{role}.yaml", "cache_transceiver_config.backend", "DEFAULT")
            for role in ("prefill", "decode")
        ),
        pools=TWO_B200,
    ),
    On(SETTINGS, kv.BASE, *kv.WORKERS).fails(
        "RDMA with NVLink between nodes forced",
        "has UCX_CUDA_IPC_ENABLE_MNNVL=y on nodes whose NVLink leads to others",
        kv.ON_GB200,
        kv.rdma(),
        kv.variable("UCX_CUDA_IPC_ENABLE_MNNVL", "y"),
        pools=TWO_GB200,
    ),
    On(SETTINGS, kv.BASE, *kv.WORKERS).fails(
        "workers that are to be found on the loopback address",
        "tells workers of other pods to fetch its KV cache from 127.0.0.1 (VLLM_NIXL_SIDE_CHANNEL_HOST)",
        kv.variable("VLLM_NIXL_SIDE_CHANNEL_HOST", "127.0.0.1"),
    ),
    On(SETTINGS, kv.BASE, *kv.WORKERS).fails(
        "a list of transports without CUDA's",
        "has UCX_TLS=rc,sm,self without cuda_copy: UCX moves no memory of a GPU",
        kv.rdma(*kv.variable("UCX_TLS", "rc,sm,self")),
    ),
    On(SETTINGS, kv.BASE).passes(
        "a list of transports without CUDA's, for a cache that goes through the host's memory",
        kv.rdma(*kv.variable("UCX_TLS", "rc,sm,self")),
        kv.connector(
            *kv.BOTH, config='{"kv_connector":"NixlConnector","kv_role":"kv_both","kv_buffer_device":"cpu"}'
        ),
    ),
    On(SETTINGS, "disagg-gb200", *kv.TRTLLM).fails(
        "a compute domain with NVLink between nodes switched off",
        "has UCX_CUDA_IPC_ENABLE_MNNVL=n, and NVLink between nodes is the only way",
        trtllm_nvlink(value="n"),
    ),
    On(SETTINGS, "disagg-gb200", kv.TRTLLM_GRAPH).is_undecided(
        "a value that nobody knows",
        "the value of the variable UCX_CUDA_IPC_ENABLE_MNNVL is unknown",
        trtllm_nvlink(valueFrom={"fieldRef": {"fieldPath": "metadata.annotations['nvlink']"}}),
    ),
)
