"""Weights, activations and KV cache against the memory of a GPU."""

from tests.rules.case import Case, Pools, failed, undecided
from tests.rules.edits import Edit, add, engine_file, put, text

ONE, ALL, BUFFERS = "kv-cache-fits", "kv-cache-fits", "kv-cache-fits"

H100: Pools = (("p5.48xlarge", 1),)
_PREFILL, _DECODE = "TrtllmPrefillWorker", "TrtllmDecodeWorker"
_FILE = "max_throughput.yaml"
_POD = "spec.template.spec"
_ARGUMENTS = f"{_POD}.containers[0].args"
_VLLM = "spec.components[1].podTemplate.spec.containers[0].args"


def _on(product: str) -> Edit:
    return put(
        "Deployment",
        f"{_POD}.nodeSelector",
        {"kubernetes.io/arch": "amd64", "nvidia.com/gpu.product": product},
    )


_ON_H100 = _on("NVIDIA-H100-80GB-HBM3")
_ONE_GPU = (
    text("Deployment", f"{_ARGUMENTS}[5]", "4", "1"),
    text("Deployment", f"{_ARGUMENTS}[6]", "4", "1"),
    put("Deployment", f"{_POD}.containers[0].resources.limits[nvidia.com/gpu]", "1"),
    put("Deployment", f"{_POD}.containers[0].resources.requests[nvidia.com/gpu]", "1"),
)

CASES = (
    Case(
        ALL,
        "windows that bound every second layer on H100",
        "trtllm-serve",
        (_ON_H100, engine_file(_FILE, "kv_cache_config.max_attention_window", [128, 2048])),
        pools=H100,
    ),
    Case(
        ALL,
        "vLLM, whose share is of the whole memory",
        "vllm-agg",
        (text("DynamoGraphDeployment", f"{_VLLM}[4]", "131072", "65536"),),
        failed(ALL, "VllmWorker"),
        ("0.9 of the whole (--gpu-memory-utilization) leaves 80.8 GiB for a KV cache in fp8",),
    ),
    Case(
        ONE,
        "nothing left beside the model",
        "trtllm-serve",
        (_ON_H100, *_ONE_GPU, text("Deployment", f"{_ARGUMENTS}[8]", "8192", "131072")),
        failed(ONE, "engine"),
        (
            "weights 63.4 + activations 30.0 + runtime and CUDA graphs 3.5 = 96.9 GiB are taken; 0.9 of the "
            "rest (--kv_cache_free_gpu_memory_fraction) leaves 0.0 GiB",
            "one sequence of 2,048 tokens (max_throughput.yaml",
            "takes 0.1 GiB",
        ),
        H100,
    ),
    Case(
        ONE,
        "less than one sequence",
        "disagg-b200",
        (engine_file("prefill.yaml", "kv_cache_config.free_gpu_memory_fraction", 0.002),),
        failed(ONE, _PREFILL),
        ("leaves 0.2 GiB", "one sequence of 9,000 tokens (prefill.yaml", "takes 0.3 GiB"),
    ),
    Case(
        ONE,
        "a KV cache in a format that the engine does not take",
        "trtllm-serve",
        (engine_file(_FILE, "kv_cache_config.dtype", "FP8"),),
        undecided(ONE, "engine"),
        ("nothing says how many bytes a value of a KV cache in FP8 takes",),
    ),
    Case(
        ONE,
        "a draft model beside it",
        "vllm-agg",
        (add("DynamoGraphDeployment", _VLLM, '--speculative-config={"method":"eagle3"}'),),
        undecided(ONE, "VllmWorker"),
        ("the estimate of memory does not cover --speculative-config",),
    ),
    Case(
        ONE,
        "a GPU that others use in turns",
        "trtllm-serve",
        (_on("NVIDIA-B200-SHARED"),),
        undecided(ONE, "engine"),
        ("its GPU is shared in turns (nvidia.com/gpu.product NVIDIA-B200-SHARED)",),
        (),
    ),
    Case(
        BUFFERS,
        "buffers for the longest sequence that the model can have",
        "disagg-b200",
        (engine_file("prefill.yaml", "cache_transceiver_config.max_tokens_in_buffer", 524288),),
        failed(BUFFERS, _PREFILL),
        (
            "leaves 84.1 GiB for a KV cache in fp8 and 21.0 GiB beside it; a buffer to send and one to "
            "receive of 524,288 tokens each take 36.0 GiB",
        ),
    ),
)
