"""Which kernels TensorRT-LLM runs the experts with: backend, algorithm, GPU and expert parallelism."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, engine_file, put, text
from tests.rules.serving_edits import SERVER, on_product

RUNS = "moe-backend-runs"
KNOWN = "quantization-override-has-effect"
SAME = "prefill-and-decode-agree"

_FILE = "max_throughput.yaml"
_MODEL = f"{SERVER}.args[0]"
_QWEN = "/opt/models/hub/models--Qwen--Qwen3-235B-A22B/snapshots/" + "0" * 40


def _override(value: str) -> Edit:
    return add("Deployment", f"{SERVER}.env", {"name": "OVERRIDE_QUANT_ALGO", "value": value})


def _backend(name: str) -> Edit:
    return engine_file(_FILE, "moe_config.backend", name)


CASES = (
    Case(
        RUNS,
        "a backend without a bias",
        "trtllm-serve",
        (_backend("WIDEEP"),),
        failed(RUNS, "engine"),
        ("WIDEEP", "stops with an error while it loads or warms up on GB200 (blackwell", "adds no bias"),
    ),
    Case(
        RUNS,
        "a backend for which nothing here has a table",
        "trtllm-serve",
        (_backend("MARLIN"),),
        undecided(RUNS, "engine"),
        ("what moe_config.backend MARLIN",),
    ),
    Case(
        RUNS,
        "another model with a backend that gpt-oss does not take",
        "trtllm-serve",
        (
            _backend("WIDEEP"),
            put("Deployment", _MODEL, _QWEN),
            text("Deployment", f"{SERVER}.args[1]", "openai/gpt-oss-120b", "Qwen/Qwen3-235B-A22B"),
        ),
    ),
    Case(
        RUNS,
        "a GPU that is not in the registry",
        "trtllm-serve",
        (_backend("TRTLLM"), on_product("NVIDIA-L40S")),
        undecided(RUNS, "engine"),
        ("its node selection names the GPU NVIDIA-L40S, which is not one of",),
        (),
    ),
    Case(
        RUNS,
        "a backend that turns into another",
        "trtllm-serve",
        (_backend("CUTEDSL"),),
        failed(RUNS, "engine"),
        ("moe_config.backend CUTEDSL", "warns and runs as CUTLASS on GB200"),
    ),
    Case(
        KNOWN,
        "a value that no engine knows",
        "trtllm-serve",
        (_override("MXFP8"),),
        failed(KNOWN, "engine"),
        (
            "OVERRIDE_QUANT_ALGO is 'MXFP8', which is none of W4A16_MXFP4, W4A8_MXFP4_FP8, W4A8_MXFP4_MXFP8: "
            "the engine warns and takes its default",
        ),
    ),
)
