"""Prefill and decode compute the experts in one format."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.checkpoints import read_checkpoint
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.expert_kernels import kernels_on, read_override
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.kv_transport.disaggregation import Disaggregated, check_disaggregated
from rules.reading.nodes.placements import read_landing
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_disaggregated(graph, lambda group: _check_group(graph, group))


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    workers = [worker for worker in group.workers if is_tensorrt_llm(worker)]
    if len(workers) < len(group.workers) or not _all_mxfp4(graph, workers):
        return
    by_algorithm: dict[str, list[str]] = {}
    for worker in workers:
        for algorithm, source in _algorithms(graph, worker).items():
            by_algorithm.setdefault(algorithm, []).append(f"{worker.name} ({source})")
    if len(by_algorithm) > 1:
        found = ", ".join(f"{name} in {' and '.join(users)}" for name, users in by_algorithm.items())
        yield failed(group.resource, group.subject, f"prefill and decode differ in their experts: {found}")


def _all_mxfp4(graph: ResourceGraph, workers: list[Worker]) -> bool:
    return all(read_checkpoint(graph, worker).mxfp4 is not None for worker in workers)


def _algorithms(graph: ResourceGraph, worker: Worker) -> dict[str, str]:
    """Effective algorithm -> where it comes from; several where GPUs that it can land on differ."""
    settings = engine_settings(graph, worker)
    override = read_override(settings)
    if override is not None and override.algorithm is not None:
        return {override.algorithm: "OVERRIDE_QUANT_ALGO"}
    kernels = [kernels_on(settings, gpu) for gpu in read_landing(graph, worker).accelerators]
    return {item.algorithm: item.algorithm_source for item in kernels}


RULE = Rule(
    id="same-quantization",
    title="Prefill and decode run the experts with one algorithm",
    severity=Severity.ADVISORY,
    reason=(
        "A prompt is read with other activations than its answer is written with: quality and measurements "
        "are of neither. The engine compares nothing."
    ),
    source="NVIDIA/TensorRT-LLM tensorrt_llm/_torch/model_config.py (get_mxfp4_quant_algo)",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set OVERRIDE_QUANT_ALGO to one value on both, or on neither and place both on one GPU type.",
    check=_check,
)
