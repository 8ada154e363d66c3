"""GPUs, number formats and places of the published recipe's workers, wherever they can be set."""

from tests.rules.case import On
from tests.rules.edits import Edit, engine_file, put
from tests.rules.judging import DECODE, FITS, GPUS, PREFILL, QUANTIZATION
from tests.rules.names import GRAPH
from tests.rules.published_findings import ON_GB200, ON_H200, PUBLISHED
from tests.rules.serving_edits import main_container, of_service

_WORKERS = (PREFILL, DECODE)


def _backend(name: str) -> tuple[Edit, ...]:
    files = ("prefill.yaml", "decode.yaml")
    return tuple(engine_file(file, "moe_config.backend", name) for file in files)


def _override(field: str, value: str) -> tuple[Edit, ...]:
    """Of OVERRIDE_QUANT_ALGO, in both workers."""
    return tuple(put(GRAPH, main_container(worker, f"env[1].{field}"), value) for worker in _WORKERS)


CASES = (
    On(GPUS, PUBLISHED, DECODE).fails(
        "two nodes", "asks for 8 GPUs (2 pods of 4)", of_service(DECODE, "multinode", {"nodeCount": 2})
    ),
    On(GPUS, PUBLISHED, DECODE).is_undecided(
        "an amount that is no number",
        "resources.limits.gpu is 'four', not a whole number",
        of_service(DECODE, "resources", {"limits": {"gpu": "four"}, "requests": {"gpu": "four"}}),
    ),
    On(FITS, PUBLISHED, DECODE).fails(
        "a worker larger than a GB200 tray",
        ("asks for 8 GPUs in one pod", "(p6e-gb200.36xlarge) has at most 4"),
        of_service(DECODE, "resources", {"limits": {"gpu": "8"}, "requests": {"gpu": "8"}}),
        engine_file("decode.yaml", "tensor_parallel_size", 8),
        pools=ON_GB200,
    ),
    On(FITS, PUBLISHED, DECODE, PREFILL).is_undecided(
        "a pool of an unknown instance type",
        "instance type p4d.24xlarge is not one of",
        pools=(("p4d.24xlarge", 2), ("p4d.24xlarge", 2)),
    ),
    On(QUANTIZATION, PUBLISHED, *_WORKERS).advises(
        "8-bit activations per tensor with CUTLASS on Hopper, which is not known to stop the worker",
        "starts, with kernels that NVIDIA does not declare for it",
        _backend("CUTLASS"),
        _override("value", "W4A8_MXFP4_FP8"),
        pools=ON_H200,
    ),
)
