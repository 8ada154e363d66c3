"""vLLM's expert kernels on each GPU, and variables that nothing reads."""

from tests.rules.case import On
from tests.rules.edits import Edit, add, put
from tests.rules.names import SERVER, VLLM_MAIN

BACKEND, FLAGS = "vllm-moe-backend", "flags-exist"

_WORKER = "VllmWorker"
_VARIABLE = "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8"


def _on_blackwell(backend: str) -> Edit:
    return add("DynamoGraphDeployment", f"{VLLM_MAIN}.args", f"--moe-backend={backend}")


def _on_hopper(backend: str) -> Edit:
    return add("Deployment", f"{SERVER}.args", f"--moe-backend={backend}")


def _variable_on_hopper(name: str, value: str = "1") -> Edit:
    return add("Deployment", f"{SERVER}.env", {"name": name, "value": value})


_LATER = "docker.io/vllm/vllm-openai:v0.31.0"

CASES = (
    On(BACKEND, "vllm-agg", _WORKER).fails(
        "Hopper's kernels on Blackwell, over the variable",
        "flashinfer_cutlass (--moe-backend) has its kernels on H100 and H200, and it can land on B200 (black",
        _on_blackwell("flashinfer_cutlass"),
    ),
    On(BACKEND, "vllm-serve", "engine").fails(
        "Blackwell's activations on Hopper",
        f"{_VARIABLE} has its kernels on B200, GB200, B300 and GB300, and it can land on H200",
        _variable_on_hopper(_VARIABLE),
    ),
    On(BACKEND, "vllm-serve").passes(
        "Blackwell's kernels on Hopper, for a model without experts in MXFP4",
        _on_hopper("flashinfer_trtllm"),
        put("Deployment", f"{SERVER}.args[0]", "Qwen/Qwen3-235B-A22B"),
        put("Deployment", f"{SERVER}.args[1]", "--served-model-name=qwen"),
    ),
    On(BACKEND, "vllm-serve", "engine").is_undecided(
        "Blackwell's kernels on Hopper, in a release that was not read",
        ("it can land on H200", f"in other releases than that of image {_LATER}"),
        _on_hopper("flashinfer_trtllm"),
        put("Deployment", f"{SERVER}.image", _LATER),
    ),
    On(BACKEND, "vllm-serve", "engine").is_undecided(
        "a backend of which nothing is said for MXFP4",
        "what --moe-backend deep_gemm (--moe-backend) does with the MXFP4 experts of gpt-oss is not known",
        _on_hopper("deep_gemm"),
    ),
    On(BACKEND, "vllm-agg", _WORKER).advises(
        "a flag that overrules the variable",
        f"{_VARIABLE} asks for MXFP8 activations, but is read with --moe-backend auto alone; "
        "flashinfer_trtllm (--moe-backend) computes in BF16",
        _on_blackwell("flashinfer_trtllm"),
    ),
    On(FLAGS, "vllm-serve", "engine").fails(
        "a backend with a slip, in any release",
        ("--moe-backend is flashinfer-trtlm, which", "; the nearest is flashinfer_trtllm"),
        put("Deployment", f"{SERVER}.image", _LATER),
        _on_hopper("flashinfer-trtlm"),
    ),
)
