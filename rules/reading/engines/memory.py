"""Applies a check to the memory of every GPU that a worker of gpt-oss can land on."""

from collections.abc import Sequence

from resource_graph import ResourceGraph
from rules.reading.engines.checkpoints import read_checkpoint
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.memory_plans import MemoryOnGpu, MemoryPlan
from rules.reading.engines.memory_tensorrt_llm import tensorrt_llm_plan
from rules.reading.engines.memory_vllm import vllm_plan
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.once_per_worker import once_per_worker
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

# What the device plugin appends to the product of a GPU that several pods use in turns.
_TIME_SLICED = "-SHARED"


@once_per_worker
def memory_on_each_gpu(graph: ResourceGraph, worker: Worker) -> Sequence[MemoryOnGpu]:
    """The plan of a worker of gpt-oss on each GPU that it can land on.

    Raises:
        Undecided: nothing says which GPU it gets, how much memory that has, or whether it is alone there.
    """
    landing = read_landing(graph, worker)
    if _TIME_SLICED in landing.source:
        raise Undecided(
            f"its GPU is shared in turns ({landing.source}) and its memory is not divided; how many workers "
            "take a part of it is not seen here"
        )
    plan = read_memory_plan(graph, worker)
    return [] if plan is None else [plan.on(accelerator) for accelerator in landing.accelerators]


@once_per_worker
def read_memory_plan(graph: ResourceGraph, worker: Worker) -> MemoryPlan | None:
    """What a worker of gpt-oss does with a GPU's memory; None for any other worker.

    Raises:
        Undecided: a setting or the checkpoint is unknown, or the estimate does not cover it.
    """
    if not is_tensorrt_llm(worker) and not is_vllm(worker):
        return None
    model = read_checkpoint(graph, worker).mxfp4
    if model is None:
        return None
    if is_vllm(worker):
        return vllm_plan(graph, worker, read_vllm(graph, worker), model)
    try:
        return tensorrt_llm_plan(graph, worker, engine_settings(graph, worker), model)
    except EngineFileProblem:
        # It fails where such files are judged; nobody can say more.
        return None
