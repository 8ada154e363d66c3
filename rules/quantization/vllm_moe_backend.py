"""vLLM's expert kernels suit the GPU."""

from collections.abc import Iterator

from hardware import VLLM_BACKEND_KERNELS, VLLM_MOE_BACKENDS, VllmMoeKernels
from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.checkpoints import read_checkpoint
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.engine_release import VLLM_0_20, as_read
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.engines.vllm_experts import AUTO, BACKEND_FLAG, read_vllm_backend, read_vllm_variables
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: as_read(worker, _check_worker(graph, worker), VLLM_0_20))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    if not is_vllm(worker):
        return
    settings = read_vllm(graph, worker)
    backend = read_vllm_backend(settings)
    if backend.value not in VLLM_MOE_BACKENDS:
        known = ", ".join(sorted(VLLM_MOE_BACKENDS))
        yield failed(
            worker.resource,
            worker.name,
            f"{BACKEND_FLAG} {backend.value} ({backend.source}) is none of {known}: vLLM refuses it",
        )
        return
    wanted = list(_wanted(settings, str(backend.value), backend.source))
    if not wanted or read_checkpoint(graph, worker).mxfp4 is None:
        return
    landing = read_landing(graph, worker)
    for name, kernels in wanted:
        if kernels is None:
            raise Undecided(f"what {name} does with the MXFP4 experts of gpt-oss is not known here")
        for gpu in landing.accelerators:
            if not kernels.run_on(gpu):
                yield failed(
                    worker.resource,
                    worker.name,
                    f"{name} has its kernels on {kernels.where}, and it can land on {gpu.name} "
                    f"({gpu.architecture_family}, {landing.source})",
                )


def _wanted(
    settings: CommandSettings, backend: str, source: str
) -> Iterator[tuple[str, VllmMoeKernels | None]]:
    if backend != AUTO:
        yield f"{BACKEND_FLAG} {backend} ({source})", VLLM_BACKEND_KERNELS.get(backend)
        return
    for variable in read_vllm_variables(settings.command.environment):
        yield variable.name, variable.kernels


RULE = Rule(
    id="vllm-moe-backend",
    title="vLLM's expert kernels for gpt-oss are made for the worker's GPU",
    severity=Severity.MANDATORY,
    reason=(
        "vLLM ends with a ValueError at start: flashinfer_cutlass takes MXFP4 on Hopper only, "
        "flashinfer_trtllm and MXFP8 activations on B200, GB200 and B300 only."
    ),
    source="vllm 0.20.1 vllm/model_executor/layers/fused_moe/oracle/mxfp4.py",
    lines=("vLLM 0.20.1",),
    fix=(
        "Leave --moe-backend and the VLLM_USE_FLASHINFER_MOE_* variables out: the default runs on every GPU. "
        "Dynamo's own recipes set VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8=1 on B200, and --moe-backend "
        "flashinfer_cutlass on H200."
    ),
    check=_check,
)
