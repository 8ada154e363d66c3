"""One sequence of full length fits beside the model."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.memory import check_memory
from rules.reading.engines.memory_plans import MemoryOnGpu, MemoryPlan
from rules.reading.pods.workers import Worker


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_memory(graph, lambda _: True, _check_gpu)


def _check_gpu(worker: Worker, plan: MemoryPlan, memory: MemoryOnGpu) -> Iterator[Observation]:
    needed = plan.sequence_gib(plan.max_seq_len)
    if memory.pool >= needed:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"{plan.pool_words(memory)}, and one sequence of {plan.max_seq_len:,} tokens "
        f"({plan.max_seq_len_source}) takes {needed:.1f} GiB",
    )


RULE = Rule(
    id="one-sequence-fits",
    title="A sequence of full length fits beside gpt-oss on the worker's GPU",
    severity=Severity.ADVISORY,
    reason=(
        "Where nothing is left for the KV cache, the engine ends at start. Where it holds less than one "
        "sequence, vLLM ends too, and TensorRT-LLM shortens what it accepts with a line in the log. The "
        "numbers are an estimate."
    ),
    source=(
        "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at 095f58a; "
        "mlcommons/inference#2501, vllm-project/vllm#33155"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "vLLM 0.20.1"),
    fix=(
        "Use more GPUs or larger ones, kv_cache_config.dtype fp8 (--kv-cache-dtype fp8), a shorter "
        "max_seq_len (--max-model-len), or fewer tokens in one step (max_num_tokens, "
        "--max-num-batched-tokens)."
    ),
    check=_check,
)
