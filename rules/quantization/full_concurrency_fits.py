"""As many sequences as the engine runs at once fit into the KV cache at their full length."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.memory import check_memory
from rules.reading.engines.memory_plans import MemoryOnGpu, MemoryPlan
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_memory(graph, _states_its_load, _check_gpu)


def _states_its_load(plan: MemoryPlan) -> bool:
    # The model's own limit of length says nothing about how long sequences are.
    return plan.max_batch_size is not None and plan.max_seq_len < plan.model.max_positions


def _check_gpu(worker: Worker, plan: MemoryPlan, memory: MemoryOnGpu) -> Iterator[Observation]:
    one = plan.sequence_gib(plan.max_seq_len)
    at_once = plan.max_batch_size or 0
    needed = at_once * one
    if memory.pool >= needed or memory.pool < one:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"{plan.pool_words(memory)}; {at_once:,} sequences of {plan.max_seq_len:,} tokens take {needed:.1f} "
        f"GiB, so {int(memory.pool / one):,} run at once",
    )


RULE = Rule(
    id="full-concurrency-fits",
    title="The KV cache holds as many full sequences as the engine runs at once",
    severity=Severity.ADVISORY,
    reason=(
        "The engine starts and serves, but requests wait although a place in the batch is free; a "
        "measurement of the time to the first token is then one of the queue. The numbers are an estimate."
    ),
    source=(
        "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a; "
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (GUARANTEED_NO_EVICT)"
    ),
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix=(
        "Lower max_batch_size (--max-num-seqs) or max_seq_len (--max-model-len) to what is served, or give "
        "the cache more: an 8-bit format, more GPUs, larger ones."
    ),
    check=_check,
)
