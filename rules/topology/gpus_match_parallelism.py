"""A worker asks for exactly the GPUs that its engine uses."""

import math
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.parallelism import read_parallelism
from rules.reading.engines.runtime_version import known_lines
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.nodes.device_claims import read_device_claims
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided

_ELASTIC = "--enable-elastic-ep"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_workers(graph, lambda worker: _check_worker(graph, worker))


def _check_worker(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    factors = read_parallelism(graph, worker)
    used = math.prod(factor.count.value for factor in factors)
    requested = worker.gpus_per_pod * worker.pods_per_worker
    if used == requested or (used < requested and _may_grow(graph, worker)):
        return
    if not requested:
        _refuse_given(graph, worker)
    asked = f"{requested} GPU{'s' if requested != 1 else ''}"
    if worker.pods_per_worker > 1:
        asked += f" ({worker.pods_per_worker} pods of {worker.gpus_per_pod})"
    product = " x ".join(str(factor) for factor in factors)
    yield failed(worker.resource, worker.name, f"asks for {asked}, but its engine uses {used}: {product}")


def _may_grow(graph: ResourceGraph, worker: Worker) -> bool:
    """Whether further ranks join the engine later, for whom the GPUs are kept (vllm --enable-elastic-ep)."""
    return is_vllm(worker) and read_vllm(graph, worker).switch(_ELASTIC) is True


def _refuse_given(graph: ResourceGraph, worker: Worker) -> None:
    for claim in read_device_claims(graph, worker.template):
        if claim.used and not claim.is_channel:
            raise Undecided(f"asks for no GPU by number; its claim {claim.name} may bring some")
    says_nothing = "resources" not in worker.described_by and "resources" not in worker.container
    if worker.template.shape == "service" and says_nothing and not known_lines(worker.container):
        # ai-dynamo/dynamo#2398, taken back by #2471.
        raise Undecided("asks for nothing, which an operator of August 2025 took for one GPU")


RULE = Rule(
    id="gpus-match-parallelism",
    title="A worker asks for exactly the GPUs that its engine uses",
    severity=Severity.MANDATORY,
    reason=(
        "With fewer GPUs than the engine's own product of parallelisms it ends at start; with more, the rest "
        "is paid for and idle. TensorRT-LLM multiplies tensor, pipeline and context parallelism, where "
        "attention data parallelism and expert parallelism add none; vLLM multiplies tensor, pipeline and "
        "data parallelism."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb; order of settings: ai-dynamo 1.2.1 "
        "llm_worker.py; vllm 0.20.1 vllm/config/parallel.py"
    ),
    lines=("Dynamo 1.2", "TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Set the worker's GPUs to the product, or tensor_parallel_size (vLLM: --tensor-parallel-size) to the "
        "GPUs."
    ),
    check=_check,
)
