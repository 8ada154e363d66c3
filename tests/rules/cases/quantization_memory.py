"""Weights, activations and KV cache against the memory of a GPU."""

from tests.rules.case import On, Pools
from tests.rules.edits import add, engine_file, put, text
from tests.rules.serving_edits import PREFILL, SERVER_ARGS, VLLM_ARGS, on_product

FITS = "kv-cache-fits"

H100: Pools = (("p5.48xlarge", 1),)
_FILE = "max_throughput.yaml"
_POD = "spec.template.spec"


_ON_H100 = on_product("NVIDIA-H100-80GB-HBM3")
_ONE_GPU = (
    text("Deployment", f"{SERVER_ARGS}[5]", "4", "1"),
    text("Deployment", f"{SERVER_ARGS}[6]", "4", "1"),
    put("Deployment", f"{_POD}.containers[0].resources.limits[nvidia.com/gpu]", "1"),
    put("Deployment", f"{_POD}.containers[0].resources.requests[nvidia.com/gpu]", "1"),
)
_FRACTION = "kv_cache_config.free_gpu_memory_fraction"
_NO_ENGINE = "its parallelism or its limits of tokens are none that an engine runs with"
_NO_SHARE = "is no share of a GPU's memory"

CASES = (
    On(FITS, "trtllm-serve").passes(
        "windows that bound every second layer on H100",
        _ON_H100,
        engine_file(_FILE, "kv_cache_config.max_attention_window", [128, 2048]),
        pools=H100,
    ),
    On(FITS, "vllm-agg", "VllmWorker").fails(
        "vLLM, whose share is of the whole memory",
        "0.9 of the whole (--gpu-memory-utilization) leaves 80.8 GiB for a KV cache in fp8; 256 sequences "
        "(--max-num-seqs) of 65,536 tokens (--max-model-len) take 288.6 GiB, so 71 run at once",
        text("DynamoGraphDeployment", f"{VLLM_ARGS}[4]", "131072", "65536"),
    ),
    On(FITS, "trtllm-serve", "engine").fails(
        "nothing left beside the model",
        (
            "weights 63.4 + activations 30.0 + runtime and CUDA graphs 3.5 = 96.9 GiB are taken; 0.9 of the "
            "rest (--kv_cache_free_gpu_memory_fraction) leaves 0.0 GiB",
            "one sequence of 2,048 tokens (max_throughput.yaml",
            "takes 0.1 GiB",
        ),
        _ON_H100,
        _ONE_GPU,
        text("Deployment", f"{SERVER_ARGS}[8]", "8192", "131072"),
        pools=H100,
    ),
    On(FITS, "disagg-b200", PREFILL).fails(
        "less than one sequence",
        ("leaves 0.2 GiB", "one sequence of 9,000 tokens (prefill.yaml", "takes 0.3 GiB"),
        engine_file("prefill.yaml", _FRACTION, 0.002),
    ),
    On(FITS, "trtllm-serve", "engine").is_undecided(
        "a KV cache in a format that the engine does not take",
        "nothing says how many bytes a value of a KV cache in FP8 takes",
        engine_file(_FILE, "kv_cache_config.dtype", "FP8"),
    ),
    On(FITS, "vllm-agg", "VllmWorker").is_undecided(
        "a draft model beside it",
        "the estimate of memory does not cover --speculative-config",
        add("DynamoGraphDeployment", VLLM_ARGS, '--speculative-config={"method":"eagle3"}'),
    ),
    On(FITS, "disagg-b200", PREFILL).fails(
        "buffers for the longest sequence that the model can have",
        "leaves 84.1 GiB for a KV cache in fp8 and 21.0 GiB beside it; a buffer to send and one to "
        "receive of 524,288 tokens each take 36.0 GiB",
        engine_file("prefill.yaml", "cache_transceiver_config.max_tokens_in_buffer", 524288),
    ),
    *(
        On(FITS, "disagg-b200", PREFILL).is_undecided(
            f"{key} {value}", says, engine_file("prefill.yaml", key, value)
        )
        for says, key, value in (
            (_NO_ENGINE, "tensor_parallel_size", 0),
            (_NO_ENGINE, "moe_expert_parallel_size", 8),
            (_NO_ENGINE, "max_num_tokens", -1),
            (_NO_SHARE, _FRACTION, 0.0),
            (_NO_SHARE, _FRACTION, 1.5),
            (_NO_SHARE, _FRACTION, float("nan")),
        )
    ),
)
