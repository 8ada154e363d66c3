"""Weights, activations and KV cache against the memory of a GPU."""

from tests.rules.case import H100, On
from tests.rules.edits import Edit, add, drop, engine_file, put, text
from tests.rules.names import GRAPH, PREFILL, SERVER, SERVER_ARGS, VLLM_ARGS, VLLM_MAIN
from tests.rules.serving_edits import on_product

FITS = "kv-cache-fits"

_FILE = "max_throughput.yaml"

_ON_H100 = on_product("NVIDIA-H100-80GB-HBM3")
_ONE_GPU = (
    text("Deployment", f"{SERVER_ARGS}[5]", "4", "1"),
    text("Deployment", f"{SERVER_ARGS}[6]", "4", "1"),
    put("Deployment", f"{SERVER}.resources.limits[nvidia.com/gpu]", "1"),
    put("Deployment", f"{SERVER}.resources.requests[nvidia.com/gpu]", "1"),
)
_TWO_RANKS = "--data-parallel-size=2"
_FRACTION = "kv_cache_config.free_gpu_memory_fraction"
_NO_ENGINE = "its parallelism or its limits of tokens are none that an engine runs with"
_NO_SHARE = "is no share of a GPU's memory"
_VARIABLE = f"{VLLM_MAIN}.env[2].name"


def _flag(argument: str) -> Edit:
    return add(GRAPH, VLLM_ARGS, argument)


CASES = (
    On(FITS, "trtllm-serve").passes(
        "windows that bound every second layer on H100",
        _ON_H100,
        engine_file(_FILE, "kv_cache_config.max_attention_window", [128, 2048]),
        pools=H100,
    ),
    *(
        On(FITS, "vllm-agg", "VllmWorker").fails(
            name, says, text(GRAPH, f"{VLLM_ARGS}[4]", "131072", "65536"), *edits
        )
        for name, says, *edits in (
            (
                "vLLM, whose share is of the whole memory",
                "0.9 of the whole (--gpu-memory-utilization) leaves 80.8 GiB for a KV cache in fp8; 256 "
                "sequences (--max-num-seqs) of 65,536 tokens (--max-model-len) take 288.6 GiB, so 71 run",
                _flag("--no-enable-log-requests"),
            ),
            ("vLLM's own", "0.92 of the whole (vLLM's default) leaves 84.4", drop(GRAPH, f"{VLLM_ARGS}[7]")),
            ("ranks that share the experts", "weights 36.3 + activations 9.5", _flag(_TWO_RANKS)),
            (
                "ranks that divide the experts",
                "weights 36.3 + activations 7.5",
                _flag(_TWO_RANKS),
                _flag("--enable-expert-parallel"),
            ),
            ("kernels that pad less", "weights 63.4", _flag("--moe-backend=marlin")),
            ("a variable's kernels", "weights 63.4", put(GRAPH, _VARIABLE, "VLLM_MXFP4_USE_MARLIN")),
            (
                "a longer variable's kernels",
                "weights 63.4",
                put(GRAPH, _VARIABLE, "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8_CUTLASS"),
            ),
            ("all in full", "(--max-model-len) take 576.0 GiB", _flag("--disable-hybrid-kv-cache-manager")),
        )
    ),
    On(FITS, "trtllm-serve", "engine").fails(
        "less than the engine runs at once",
        "leaves 8.0 GiB for a KV cache in auto; 640 sequences (--max_batch_size)",
        text("Deployment", f"{SERVER_ARGS}[11]", "0.9", "0.05"),
    ),
    On(FITS, "trtllm-serve").passes(
        "less than the default of a flag",
        text("Deployment", f"{SERVER_ARGS}[11]", "0.9", "0.05"),
        put("Deployment", f"{SERVER_ARGS}[7]", "--max_batch_size=2048"),
    ),
    On(FITS, "trtllm-serve", "engine").fails(
        "nothing left beside the model",
        "weights 63.4 + activations 30.0 + runtime and CUDA graphs 3.5 = 96.9 GiB are taken; 0.9 of the "
        "rest (--kv_cache_free_gpu_memory_fraction) leaves 0.0 GiB",
        "one sequence of 2,048 tokens (max_throughput.yaml",
        "takes 0.1 GiB",
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
    *(
        On(FITS, "vllm-agg", "VllmWorker").is_undecided(
            f"what {flag} takes or moves",
            f"the estimate of memory does not cover {flag}",
            tuple(_flag(argument) for argument in arguments),
        )
        for flag, *arguments in (
            ("--speculative-config", '--speculative-config={"method":"eagle3"}'),
            ("--cpu-offload-gb", "--cpu-offload-gb=10"),
            ("--kv-cache-memory-bytes", "--kv-cache-memory-bytes=1000"),
            ("--num-gpu-blocks-override", "--num-gpu-blocks-override=1000"),
            ("--enable-lora", "--enable-lora"),
            ("--pipeline-parallel-size", "--pipeline-parallel-size=2"),
            ("--data-parallel-size with --tensor-parallel-size", _TWO_RANKS, "--tensor-parallel-size=2"),
        )
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
            (_NO_ENGINE, "max_seq_len", 0),
            ("not cover speculative_config (prefill", "speculative_config", {"decoding_type": "Eagle3"}),
            ("not cover decoding_config (prefill", "decoding_config", {"decoding_type": "Eagle3"}),
            ("not cover kv_cache_config.max_tokens (", "kv_cache_config.max_tokens", 4096),
            ("not cover kv_cache_config.max_gpu_total", "kv_cache_config.max_gpu_total_bytes", 4096),
            ("max_attention_window in prefill", "kv_cache_config.max_attention_window", 128),
            (_NO_SHARE, _FRACTION, 0.0),
            (_NO_SHARE, _FRACTION, 1.5),
            (_NO_SHARE, _FRACTION, float("nan")),
        )
    ),
)
