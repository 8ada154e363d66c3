"""The published table of kernels, typed by hand: what runs gpt-oss where."""

from itertools import product

import pytest

from engines.engine import ModelUse
from engines.models import (
    GPT_OSS_MODELS,
    MXFP4_ALGORITHMS,
    MxFp4AlgorithmName,
    algorithms_with_kernels,
    default_algorithm,
    fp8_kv_cache_is_tested,
)
from engines.tensorrt_llm.engine import TensorRtLlm
from engines.tensorrt_llm.kernels import (
    MOE_BACKENDS,
    MoeBackend,
    MoeOutcome,
    default_moe_backend,
    moe_support,
)
from engines.tensorrt_llm.options import TensorRtLlmOptions
from hardware import ACCELERATORS

RUNS = MoeOutcome.RUNS
AS_CUTLASS, FAILS = MoeOutcome.RUNS_AS_CUTLASS, MoeOutcome.FAILS
UNDECLARED = MoeOutcome.NOT_DECLARED
BLACKWELL, HOPPER, AMPERE = ("B200", "GB200", "B300", "GB300"), ("H200", "H100"), ("A100", "A100-40GB")
ALGORITHMS: tuple[MxFp4AlgorithmName, ...] = ("W4A16_MXFP4", "W4A8_MXFP4_FP8", "W4A8_MXFP4_MXFP8")

# (GPUs, backend): outcome with BF16, FP8 and MXFP8 activations
TABLE = {
    (BLACKWELL, "CUTLASS"): (FAILS, UNDECLARED, RUNS),
    (BLACKWELL, "TRTLLM"): (RUNS, RUNS, RUNS),
    (BLACKWELL, "TRITON"): (UNDECLARED, UNDECLARED, FAILS),
    (BLACKWELL, "CUTEDSL"): (FAILS, UNDECLARED, AS_CUTLASS),
    (BLACKWELL, "DENSEGEMM"): (FAILS, UNDECLARED, AS_CUTLASS),
    (HOPPER, "CUTLASS"): (RUNS, UNDECLARED, FAILS),
    (HOPPER, "TRTLLM"): (FAILS, FAILS, FAILS),
    (HOPPER, "TRITON"): (RUNS, RUNS, FAILS),
    (HOPPER, "CUTEDSL"): (AS_CUTLASS, UNDECLARED, FAILS),
    (HOPPER, "DENSEGEMM"): (AS_CUTLASS, UNDECLARED, FAILS),
    (AMPERE, "CUTLASS"): (UNDECLARED, UNDECLARED, FAILS),
    (AMPERE, "TRTLLM"): (FAILS, FAILS, FAILS),
    (AMPERE, "TRITON"): (UNDECLARED, UNDECLARED, FAILS),
    (AMPERE, "CUTEDSL"): (UNDECLARED, UNDECLARED, FAILS),
    (AMPERE, "DENSEGEMM"): (UNDECLARED, UNDECLARED, FAILS),
} | {
    (gpus, backend): (FAILS, FAILS, FAILS)
    for gpus in (BLACKWELL, HOPPER, AMPERE)
    for backend in ("WIDEEP", "DEEPGEMM", "VANILLA")
}
CELLS = [
    (gpu, backend, algorithm, outcome)
    for (gpus, backend), outcomes in TABLE.items()
    for gpu in gpus
    for algorithm, outcome in zip(ALGORITHMS, outcomes, strict=True)
]


def test_the_table_has_every_gpu_backend_and_algorithm() -> None:
    assert {cell[:3] for cell in CELLS} == {
        (gpu, backend, algorithm)
        for gpu in ACCELERATORS
        for backend in MOE_BACKENDS
        for algorithm in MXFP4_ALGORITHMS
    }


def test_a_backend_runs_gpt_oss_where_nvidia_says_so() -> None:
    for gpu, backend, algorithm, outcome in CELLS:
        support = moe_support(backend, algorithm, ACCELERATORS[gpu])
        case = f"{backend} with {algorithm} on {gpu}"
        assert (support.outcome, support.stops) == (outcome, outcome is FAILS), case
        assert backend in support.reason, case


def test_triton_splits_experts_on_hopper_and_not_on_blackwell() -> None:
    for gpu in BLACKWELL:
        support = moe_support("TRITON", "W4A16_MXFP4", ACCELERATORS[gpu], expert_parallel_size=4)
        assert support.outcome is FAILS
        assert "expert parallelism" in support.reason
    hopper = moe_support("TRITON", "W4A16_MXFP4", ACCELERATORS["H200"], expert_parallel_size=4)
    assert hopper.outcome is RUNS


def test_a_fallback_that_does_not_run_either_names_the_reason() -> None:
    support = moe_support("CUTEDSL", "W4A16_MXFP4", ACCELERATORS["B200"])
    assert "falls back to CUTLASS" in support.reason
    assert "NotImplementedError" in support.reason


@pytest.mark.parametrize(
    ("gpus", "backend"), [(BLACKWELL, "TRTLLM"), (HOPPER, "TRITON"), (AMPERE, "CUTLASS")]
)
def test_auto_means_another_backend_on_every_family(gpus: tuple[str, ...], backend: str) -> None:
    assert {default_moe_backend(ACCELERATORS[gpu]) for gpu in gpus} == {backend}


@pytest.mark.parametrize(
    ("gpus", "backend", "algorithm"),
    [
        (BLACKWELL, "TRTLLM", "W4A8_MXFP4_MXFP8"),
        (BLACKWELL, "CUTLASS", "W4A8_MXFP4_MXFP8"),
        (BLACKWELL, "TRITON", "W4A8_MXFP4_FP8"),
        (HOPPER, "TRITON", "W4A16_MXFP4"),
        (HOPPER, "CUTLASS", "W4A16_MXFP4"),
        (AMPERE, "CUTLASS", "W4A16_MXFP4"),
    ],
)
def test_without_an_override_the_gpu_and_the_backend_choose_the_algorithm(
    gpus: tuple[str, ...], backend: MoeBackend, algorithm: str
) -> None:
    assert {default_algorithm(ACCELERATORS[gpu], backend) for gpu in gpus} == {algorithm}


@pytest.mark.parametrize(
    ("gpus", "algorithms"), [(BLACKWELL, ALGORITHMS), (HOPPER, ALGORITHMS[:2]), (AMPERE, ())]
)
def test_a_gpu_has_kernels_for_these_algorithms(
    gpus: tuple[str, ...], algorithms: tuple[MxFp4AlgorithmName, ...]
) -> None:
    for gpu in gpus:
        assert algorithms_with_kernels(ACCELERATORS[gpu]) == algorithms


def test_an_8_bit_kv_cache_is_tested_on_blackwell_only() -> None:
    assert {gpu for gpu in ACCELERATORS if fp8_kv_cache_is_tested(ACCELERATORS[gpu])} == set(BLACKWELL)


@pytest.mark.parametrize("parallel", [1, 4])
def test_a_stack_is_refused_exactly_the_kernels_that_end_the_worker(parallel: int) -> None:
    for gpu, backend, algorithm in product(("B200", "H200"), MOE_BACKENDS, ALGORITHMS):
        options = TensorRtLlmOptions.model_validate(
            {
                "tensor_parallel_size": 4,
                "moe_expert_parallel_size": parallel,
                "moe_config": {"backend": backend},
                "max_batch_size": 64,
                "max_num_tokens": 20000,
            }
        )
        accelerator = ACCELERATORS[gpu]
        use = ModelUse(
            GPT_OSS_MODELS["gpt-oss-120b"], 1024, 1024, algorithm, (accelerator.architecture_family,)
        )
        support = moe_support(backend, algorithm, accelerator, expert_parallel_size=parallel)
        assert any(TensorRtLlm().refusals(options, use)) == support.stops, (
            f"{backend} with {algorithm} on {gpu}"
        )
