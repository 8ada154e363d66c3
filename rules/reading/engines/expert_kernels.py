"""What engines run the MXFP4 experts of gpt-oss with: backend, algorithm, and on which GPU."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.command_line import Setting, Word, variable_in
from engines.effective import Effective
from engines.models import (
    MXFP4_ALGORITHMS,
    MxFp4AlgorithmName,
    algorithms_with_kernels,
    default_algorithm,
)
from engines.tensorrt_llm.kernels import (
    MoeOutcome,
    MoeSupport,
    default_moe_backend,
    is_moe_backend,
    moe_support,
)
from engines.vllm.engine import VLLM_MOE_VARIABLES, VllmMoeKernels
from hardware import ACCELERATORS, Accelerator
from resource_graph import ResourceGraph
from rules.reading.engines.models import read_mxfp4
from rules.reading.engines.settings import read_settings
from rules.reading.placements import read_landing
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, attempted, known, memoized

OVERRIDE_VARIABLE = "OVERRIDE_QUANT_ALGO"
_AUTO = "AUTO"
_ALGORITHMS: Mapping[str, MxFp4AlgorithmName] = {name: name for name in MXFP4_ALGORITHMS}
VLLM_AUTO = "auto"
BACKEND_FLAG = "--moe-backend"


@dataclass(frozen=True, slots=True)
class ExpertKernels:
    """What a worker would run its experts with on one GPU."""

    accelerator: Accelerator
    backend: Setting
    """A MoeBackend."""
    algorithm: Setting
    """An MxFp4AlgorithmName."""
    support: MoeSupport

    def __str__(self) -> str:
        return f"moe_config.backend {self.backend} with {self.algorithm}"


def read_override(environment: Mapping[str, Word]) -> MxFp4AlgorithmName | None:
    """The algorithm that OVERRIDE_QUANT_ALGO names; None where it names none and the engine chooses."""
    # The engine takes any case, and no blanks (NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py).
    return _ALGORITHMS.get(environment.get(OVERRIDE_VARIABLE, Word("")).value(OVERRIDE_VARIABLE).upper())


def read_expert_parallel_size(settings: Effective) -> int:
    """GPUs among which the experts are divided."""
    expert = settings.at("moe_expert_parallel_size")
    tensor = settings.at("moe_tensor_parallel_size")
    if expert is None and tensor is not None:
        whole = settings.count("tensor_parallel_size", default=1).value
        return max(1, whole // max(1, settings.count("moe_tensor_parallel_size", default=1).value))
    # The value -1 means: not set.
    return max(1, settings.count("moe_expert_parallel_size", default=1).value) if expert is not None else 1


def kernels_on(settings: Effective, accelerator: Accelerator) -> ExpertKernels:
    """What the experts of an MXFP4 checkpoint would run with on the GPU."""
    given = settings.text("moe_config", "backend", default=_AUTO)
    backend, source = given.value.upper(), given.source
    if backend == _AUTO:
        backend, source = default_moe_backend(accelerator), f"AUTO on {accelerator.name}"
    if not is_moe_backend(backend):
        raise Undecided(f"what moe_config.backend {backend} ({source}) does with gpt-oss is not known here")
    algorithm, algorithm_source = read_override(settings.environment), OVERRIDE_VARIABLE
    if algorithm is None:
        algorithm = default_algorithm(accelerator, backend)
        algorithm_source = f"the default on {accelerator.name}"
    size = read_expert_parallel_size(settings)
    support = moe_support(backend, algorithm, accelerator, expert_parallel_size=size)
    chosen = Setting(backend, source), Setting(algorithm, algorithm_source)
    return ExpertKernels(accelerator, *chosen, support)


def doubtful_kernels(graph: ResourceGraph, worker: Worker) -> Iterator[tuple[ExpertKernels, str]]:
    """The worker's kernels on each GPU that it can land on, where they do not simply run, and what says so.

    Checkpoint and GPU are asked for only where the answer depends on them: a worker without any setting
    runs its experts everywhere.
    """
    candidates = _candidates(graph, worker)
    found = [kernels for kernels in candidates if kernels.support.outcome is not MoeOutcome.RUNS]
    if not found:
        return
    read_mxfp4(graph, worker)
    try:
        _, source = read_landing(graph, worker)
    except Undecided:
        if len(found) < len(candidates) or len({kernels.support.stops for kernels in candidates}) > 1:
            raise
        # The outcome is the same on every GPU: one GPU stands for all.
        source = "as every other GPU that runs gpt-oss"
        found = found[:1]
    for kernels in found:
        yield kernels, source


def read_vllm_backend(settings: Effective) -> Setting:
    """The value of --moe-backend."""
    return settings.text("moe_backend", default=VLLM_AUTO)


def read_vllm_variables(environment: Mapping[str, Word]) -> Iterator[tuple[str, VllmMoeKernels]]:
    """The variables that are on, and the expert kernels that each asks for."""
    for name, kernels in VLLM_MOE_VARIABLES.items():
        text = variable_in(environment, name)
        if text is not None and not (text.isascii() and text.isdigit()):
            raise Undecided(f"{name} is {text!r}, and vLLM takes 0 or 1")
        if text is not None and text.strip("0"):
            yield name, kernels


@memoized
def _candidates(graph: ResourceGraph, worker: Worker) -> Sequence[ExpertKernels]:
    """The kernels on each GPU that the worker may land on, if its checkpoint may have experts in MXFP4."""
    if attempted(read_mxfp4, graph, worker) is None:
        return ()
    settings = read_settings(graph, worker)
    landing = known(read_landing, graph, worker)
    every = filter(algorithms_with_kernels, ACCELERATORS.values())
    accelerators = every if landing is None else landing[0]
    return [kernels_on(settings, accelerator) for accelerator in accelerators]
