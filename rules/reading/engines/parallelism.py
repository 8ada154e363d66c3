"""Over how many GPUs one engine spreads."""

from collections.abc import Sequence
from dataclasses import dataclass

from resource_graph import ResourceGraph
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import Count
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.pods.workers import Worker

_DATA = "--data-parallel-size"


@dataclass(frozen=True, slots=True)
class Factor:
    """One kind of parallelism that the engine multiplies to its GPUs."""

    name: str
    count: Count

    def __str__(self) -> str:
        return f"{self.name} {self.count.value} ({self.count.source})"


def read_parallelism(graph: ResourceGraph, worker: Worker) -> Sequence[Factor]:
    """All factors of the worker's engine, tensor parallelism first.

    TensorRT-LLM multiplies tensor, pipeline and context parallelism; attention data parallelism and expert
    parallelism share those ranks (NVIDIA/TensorRT-LLM tensorrt_llm/mapping.py at 05ebebb). vLLM multiplies
    tensor, pipeline and data parallelism (vllm 0.20.1 vllm/config/parallel.py), SGLang tensor and pipeline
    parallelism, and data parallelism unless that shares the ranks of its attention (sglang 0.5.14
    sglang/srt/managers/data_parallel_controller.py).

    Raises:
        EngineFileProblem: its engine file cannot be what the engine needs.
        Undecided: it starts another engine, or several, or a size is unknown.
    """
    if is_vllm(worker):
        return _vllm(graph, worker)
    if is_sglang(worker):
        return _sglang(read_sglang(graph, worker))
    settings = engine_settings(graph, worker)
    return [
        Factor("tensor parallelism", settings.count("tensor_parallel_size", default=1)),
        Factor("pipeline parallelism", settings.count("pipeline_parallel_size", default=1)),
        Factor("context parallelism", settings.count("context_parallel_size", default=1)),
    ]


def _vllm(graph: ResourceGraph, worker: Worker) -> Sequence[Factor]:
    settings = read_vllm(graph, worker)
    # A single pod has the local ranks; those of other nodes are other pods' own.
    is_local = worker.pods_per_worker == 1 and settings.at(f"{_DATA}-local") is not None
    return [
        Factor("tensor parallelism", settings.count("--tensor-parallel-size", 1)),
        Factor("pipeline parallelism", settings.count("--pipeline-parallel-size", 1)),
        Factor("data parallelism", settings.count(f"{_DATA}-local" if is_local else _DATA, 1)),
    ]


def _sglang(settings: CommandSettings) -> Sequence[Factor]:
    factors = [
        Factor("tensor parallelism", settings.count("--tensor-parallel-size", 1)),
        Factor("pipeline parallelism", settings.count("--pipeline-parallel-size", 1)),
    ]
    if not settings.switch("--enable-dp-attention"):
        factors.append(Factor("data parallelism", settings.count(_DATA, 1)))
    return factors
