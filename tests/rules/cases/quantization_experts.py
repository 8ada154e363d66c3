"""Which kernels TensorRT-LLM runs the experts with: backend, algorithm, GPU and expert parallelism."""

from typing import Any

from tests.rules.case import On
from tests.rules.edits import Edit, add, drop, engine_file, put, text, variable
from tests.rules.names import DECODE, PREFILL, REQUANTIZED, SERVER
from tests.rules.serving_edits import on_product

RUNS = "moe-backend-runs"
KNOWN = "quantization-override-has-effect"

_MODEL = f"{SERVER}.args[0]"


def _override(value: str) -> Edit:
    return add("Deployment", f"{SERVER}.env", {"name": "OVERRIDE_QUANT_ALGO", "value": value})


def _override_of(worker: str, value: str | dict[str, Any]) -> Edit:
    env = f"spec.services.{worker}.extraPodSpec.mainContainer.env"
    return variable("DynamoGraphDeployment", env, "OVERRIDE_QUANT_ALGO", value)


def _backend(name: str) -> Edit:
    return engine_file("max_throughput.yaml", "moe_config.backend", name)


CASES = (
    On(RUNS, "trtllm-serve", "engine").fails(
        "a backend without a bias",
        ("WIDEEP", "stops with an error while it loads or warms up on GB200 (blackwell", "adds no bias"),
        _backend("WIDEEP"),
    ),
    On(RUNS, "trtllm-serve", "engine").fails(
        "experts divided under TRITON on Blackwell",
        ("W4A8_MXFP4_FP8 (the default on GB200)", "expert parallelism 2", "raises with expert parallelism"),
        _backend("TRITON"),
        put("Deployment", f"{SERVER}.args[6]", "--ep_size=2"),
    ),
    On(RUNS, "trtllm-serve", "engine").is_undecided(
        "a backend for which nothing here has a table", "what moe_config.backend MARLIN", _backend("MARLIN")
    ),
    On(RUNS, "trtllm-serve").passes(
        "another model with a backend that gpt-oss does not take",
        _backend("WIDEEP"),
        put("Deployment", _MODEL, "/opt/models/hub/models--Qwen--Qwen3-235B-A22B/snapshots/" + "0" * 40),
        text("Deployment", f"{SERVER}.args[1]", "openai/gpt-oss-120b", "Qwen/Qwen3-235B-A22B"),
    ),
    On(RUNS, "trtllm-serve", "engine").is_undecided(
        "a GPU that is not in the registry",
        "its node selection names the GPU NVIDIA-L40S, which is not one of",
        _backend("TRTLLM"),
        on_product("NVIDIA-L40S"),
        pools=(),
    ),
    On(RUNS, "trtllm-serve", "engine").advises(
        "a backend that turns into another",
        ("moe_config.backend CUTEDSL", "(the default on GB200) warns and runs as CUTLASS on GB200"),
        _backend("CUTEDSL"),
        put("Deployment", f"{SERVER}.args[6]", "--ep_size=1"),
    ),
    On(KNOWN, "trtllm-serve", "engine").fails(
        "a value that no engine knows",
        "is 'MXFP8', which is none of W4A16_MXFP4, W4A8_MXFP4_FP8, W4A8_MXFP4_MXFP8: the engine warns and",
        _override("MXFP8"),
    ),
    On(KNOWN, "trtllm-serve", "engine").fails(
        "a checkpoint of another format",
        f"read for MXFP4 checkpoints alone; {REQUANTIZED} is none",
        _override("W4A16_MXFP4"),
        put("Deployment", _MODEL, REQUANTIZED),
    ),
    On(KNOWN, "trtllm-serve").passes(
        "a value that the engine knows, in small letters", _override("w4a16_mxfp4")
    ),
    On(KNOWN, "trtllm-serve").passes(
        "an image that starts its engine by itself",
        _override("MXFP8"),
        drop("Deployment", f"{SERVER}.command"),
        drop("Deployment", f"{SERVER}.args"),
    ),
    On(KNOWN, "vllm-serve", "engine").fails(
        "another engine", "which TensorRT-LLM reads, and starts vllm", _override("W4A16_MXFP4")
    ),
    On("prefill-and-decode-agree", "disagg-b200", f"{PREFILL}, {DECODE}").advises(
        "prefill with other activations",
        "W4A16_MXFP4 in TrtllmPrefillWorker (OVERRIDE_QUANT_ALGO), W4A8_MXFP4_MXFP8 in "
        "TrtllmDecodeWorker (OVERRIDE_QUANT_ALGO)",
        _override_of(PREFILL, "W4A16_MXFP4"),
    ),
)
