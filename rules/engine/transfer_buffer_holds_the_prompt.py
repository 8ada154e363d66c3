"""A transfer buffer that cannot grow holds the longest prompt that prefill admits."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.engines.engines import READ_SINCE, engine_settings
from rules.reading.engines.models import read_gpt_oss
from rules.reading.engines.runtime_version import by_line
from rules.reading.engines.tensorrt_llm import Count, is_tensorrt_llm
from rules.reading.engines.transfer_buffers import longest_prompt, transfer_buffer
from rules.reading.kv_transport.cache_transceiver import WITH_FIXED_BUFFERS, effective_backend
from rules.reading.kv_transport.disaggregation import Disaggregated, read_disaggregated
from rules.reading.pods.containers import EngineFileProblem
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for group in read_disaggregated(graph):
        if not all(is_tensorrt_llm(worker) for worker in group.workers):
            continue
        try:
            longest = _longest(graph, group)
        except EngineFileProblem:
            continue
        except Undecided as reason:
            yield undecided(group.resource, group.subject, str(reason))
            continue
        for worker in group.workers:
            yield from _check_worker(graph, worker, longest)


def _longest(graph: ResourceGraph, group: Disaggregated) -> Count:
    prompts = [
        longest_prompt(engine_settings(graph, worker), read_gpt_oss(worker)) for worker in group.prefill
    ]
    return max(prompts, key=lambda prompt: prompt.value)


def _check_worker(graph: ResourceGraph, worker: Worker, longest: Count) -> Iterator[Observation]:
    try:
        backend, buffer = effective_backend(graph, worker), transfer_buffer(engine_settings(graph, worker))
    except EngineFileProblem:
        return
    except Undecided as reason:
        yield undecided(worker.resource, worker.name, str(reason))
        return
    if backend not in WITH_FIXED_BUFFERS or buffer is None or buffer.value >= longest.value:
        return
    message = (
        f"its transfer buffer holds {buffer.value} tokens ({buffer.source}), but prefill admits prompts of "
        f"{longest.value} ({longest.source}), and buffers of {backend} do not grow"
    )
    try:
        known = by_line(lambda line: line >= READ_SINCE, worker.container, worker.described_by)
    except Undecided as reason:
        yield undecided(worker.resource, worker.name, f"{message}; {reason}")
        return
    yield (failed if known else undecided)(worker.resource, worker.name, message)


RULE = Rule(
    id="transfer-buffer-holds-the-prompt",
    title="A transfer buffer that cannot grow holds the longest prompt that prefill admits",
    severity=Severity.MANDATORY,
    reason=(
        "NIXL and Mooncake allocate their buffers once and end the transfer of a longer prompt with a failed "
        "check; 0 allocates none, so that every transfer ends so. UCX and MPI allocate another buffer as "
        "they go."
    ),
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (AgentConnection) and "
        "docs disagg-serving.md at 0434b98"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Raise max_tokens_in_buffer on prefill and decode, or lower prefill's max_seq_len.",
    check=_check,
)
