"""Which kernels of vLLM take which GPU, typed by hand."""

import pytest

from engines.vllm.kernels import (
    VLLM_BACKEND_KERNELS,
    VLLM_MOE_BACKENDS,
    VLLM_MOE_VARIABLES,
    default_vllm_kernels,
)
from hardware import ACCELERATORS

BLACKWELL, HOPPER, AMPERE = {"B200", "GB200", "B300", "GB300"}, {"H200", "H100"}, {"A100", "A100-40GB"}


@pytest.mark.parametrize(
    ("backend", "gpus"),
    [
        ("flashinfer_trtllm", BLACKWELL),
        ("flashinfer_cutlass", HOPPER),
        ("triton", BLACKWELL | HOPPER),
        ("marlin", BLACKWELL | HOPPER | AMPERE),
    ],
)
def test_a_backend_has_kernels_on_these_gpus(backend: str, gpus: set[str]) -> None:
    kernels = VLLM_BACKEND_KERNELS[backend]
    assert {gpu for gpu in ACCELERATORS if kernels.run_on(ACCELERATORS[gpu])} == gpus


@pytest.mark.parametrize(
    ("variable", "gpus", "activations"),
    [
        ("VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8", BLACKWELL, "MXFP8"),
        ("VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8_CUTLASS", BLACKWELL, "MXFP8"),
        ("VLLM_USE_FLASHINFER_MOE_MXFP4_BF16", BLACKWELL | HOPPER, "BF16"),
        ("VLLM_MXFP4_USE_MARLIN", BLACKWELL | HOPPER | AMPERE, "BF16"),
    ],
)
def test_a_variable_has_kernels_on_these_gpus(variable: str, gpus: set[str], activations: str) -> None:
    kernels = VLLM_MOE_VARIABLES[variable]
    assert {gpu for gpu in ACCELERATORS if kernels.run_on(ACCELERATORS[gpu])} == gpus
    assert kernels.activations == activations


def test_the_default_runs_on_its_gpu() -> None:
    for accelerator in ACCELERATORS.values():
        assert VLLM_BACKEND_KERNELS[default_vllm_kernels(accelerator)].run_on(accelerator)
    assert set(VLLM_BACKEND_KERNELS) < VLLM_MOE_BACKENDS
