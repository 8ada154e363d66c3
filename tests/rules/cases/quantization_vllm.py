"""vLLM's expert kernels on each GPU, and variables that nothing reads."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, put
from tests.rules.serving_edits import SERVER, VLLM_MAIN

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
    Case(
        BACKEND,
        "Hopper's kernels on Blackwell, over the variable",
        "vllm-agg",
        (_on_blackwell("flashinfer_cutlass"),),
        failed(BACKEND, _WORKER),
        (
            "--moe-backend flashinfer_cutlass (--moe-backend) has its kernels on H100 and H200, and it can "
            "land on B200 (blackwell, pool p6-b200.48xlarge",
        ),
    ),
    Case(
        BACKEND,
        "Blackwell's activations on Hopper",
        "vllm-serve",
        (_variable_on_hopper(_VARIABLE),),
        failed(BACKEND, "engine"),
        (f"{_VARIABLE} has its kernels on B200, GB200, B300 and GB300, and it can land on H200",),
    ),
    Case(
        BACKEND,
        "Blackwell's kernels on Hopper, in a release that was not read",
        "vllm-serve",
        (_on_hopper("flashinfer_trtllm"), put("Deployment", f"{SERVER}.image", _LATER)),
        undecided(BACKEND, "engine"),
        ("it can land on H200", f"in other releases than that of image {_LATER}"),
    ),
    Case(
        BACKEND,
        "a backend of which nothing is said for MXFP4",
        "vllm-serve",
        (_on_hopper("deep_gemm"),),
        undecided(BACKEND, "engine"),
        ("what --moe-backend deep_gemm (--moe-backend) does with the MXFP4 experts of gpt-oss is not known",),
    ),
    Case(
        BACKEND,
        "a flag that overrules the variable",
        "vllm-agg",
        (_on_blackwell("flashinfer_trtllm"),),
        failed(BACKEND, _WORKER),
        (
            f"{_VARIABLE} asks for MXFP8 activations, but is read with --moe-backend auto alone; "
            "flashinfer_trtllm (--moe-backend) computes in BF16",
        ),
    ),
    Case(
        FLAGS,
        "a backend with a slip, in any release",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.image", _LATER), _on_hopper("flashinfer-trtlm")),
        failed(FLAGS, "engine"),
        ("--moe-backend is flashinfer-trtlm, which", "; the nearest is flashinfer_trtllm"),
    ),
)
