"""A benchmark counts the GPUs that its target has, and asks for what it says."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmark_targets import Target, read_target, worker_gpus
from rules.reading.benchmarks.benchmarks import (
    GPU_COUNT_VARIABLE,
    MODE_VARIABLE,
    PER_GPU_VARIABLE,
    Benchmark,
    check_benchmarks,
)
from rules.reading.engines.tensorrt_llm import Count

_DISAGGREGATED = {"agg": False, "disagg": True}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, lambda benchmark: _check_benchmark(graph, benchmark))


def _check_benchmark(graph: ResourceGraph, benchmark: Benchmark) -> Iterator[Observation]:
    gpus, per_gpu = benchmark.count(GPU_COUNT_VARIABLE), benchmark.count(PER_GPU_VARIABLE)
    mode = benchmark.text(MODE_VARIABLE)
    if gpus is not None and per_gpu is not None:
        yield from _check_product(benchmark, gpus, per_gpu)
    if gpus is None and mode not in _DISAGGREGATED:
        return
    target = read_target(graph, benchmark, benchmark.runs[0])
    if gpus is not None:
        yield from _check_gpus(benchmark, target, gpus, per_gpu)
    if mode in _DISAGGREGATED and _DISAGGREGATED[mode] != target.is_disaggregated:
        found = "has prefill workers" if target.is_disaggregated else "has no prefill workers"
        yield failed(
            benchmark.resource,
            benchmark.name,
            f"calls its target {mode} ({MODE_VARIABLE}), but {target.name} {found}",
        )


def _check_product(benchmark: Benchmark, gpus: Count, per_gpu: Count) -> Iterator[Observation]:
    wanted = gpus.value * per_gpu.value
    loads = [run.concurrency for run in benchmark.runs]
    if any(load is not None and load.value == wanted for load in loads):
        return
    for load in loads:
        if load is not None:
            yield failed(
                benchmark.resource,
                benchmark.name,
                f"keeps {load.value} requests open ({load.source}), but says {per_gpu.value} for each of "
                f"{gpus.value} GPUs ({PER_GPU_VARIABLE}, {GPU_COUNT_VARIABLE}), which is {wanted}",
            )


def _check_gpus(
    benchmark: Benchmark, target: Target, gpus: Count, per_gpu: Count | None
) -> Iterator[Observation]:
    deployed = sum(worker_gpus(worker) for worker in target.workers)
    if gpus.value == deployed:
        return
    parts = " + ".join(f"{worker_gpus(worker)} of {worker.name}" for worker in target.workers)
    message = f"counts {gpus.value} GPUs ({gpus.source}), but {target.name} has {deployed}: {parts}"
    if per_gpu is not None:
        message += (
            f"; {per_gpu.value} requests for each make {per_gpu.value * gpus.value} at once instead of "
            f"{per_gpu.value * deployed}"
        )
    yield failed(benchmark.resource, benchmark.name, message)


RULE = Rule(
    id="benchmark-matches-deployment",
    title="A benchmark counts the GPUs that its target has",
    severity=Severity.ADVISORY,
    reason=(
        "Concurrency and throughput per GPU are worked out from the number that the Job names: with another "
        "one the load is not the intended one, and results are compared that are not comparable."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/perf.yaml at 2cfffb6 (6 GPUs, a graph of 5)"
    ),
    lines=EVERY_RELEASE,
    fix=f"Set {GPU_COUNT_VARIABLE} to the GPUs of all workers behind the address, replicas included.",
    check=_check,
)
