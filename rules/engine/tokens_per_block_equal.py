"""Prefill and decode cut the KV cache into blocks of the same size."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.engines import engine_settings
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.transfer_buffers import tokens_per_block
from rules.reading.kv_transport.disaggregation import Disaggregated, check_disaggregated

_PAGE = "--page-size"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_disaggregated(graph, lambda group: _check_group(graph, group))


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    if all(is_sglang(worker) for worker in group.workers):
        yield from _check_sglang(graph, group)
        return
    if not all(is_tensorrt_llm(worker) for worker in group.workers):
        return
    blocks = {worker.name: tokens_per_block(engine_settings(graph, worker)) for worker in group.workers}
    if len({block.value for block in blocks.values()}) > 1:
        sizes = ", ".join(f"{name} {block.value} ({block.source})" for name, block in blocks.items())
        yield failed(group.resource, group.subject, f"their tokens_per_block differ: {sizes}")


def _check_sglang(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    settings = {worker.name: read_sglang(graph, worker) for worker in group.workers}
    # Unset it follows from the attention backend.
    pages = {name: each.count(_PAGE, 1) for name, each in settings.items() if each.at(_PAGE) is not None}
    if len({page.value for page in pages.values()}) > 1:
        sizes = ", ".join(f"{name} {page.value} ({page.source})" for name, page in pages.items())
        yield failed(group.resource, group.subject, f"their {_PAGE} differ: {sizes}")


RULE = Rule(
    id="tokens-per-block-equal",
    title="Prefill and decode cut the KV cache into blocks of the same size",
    severity=Severity.MANDATORY,
    reason="The receiving side refuses a cache whose blocks differ from its own, and no request is answered.",
    source=(
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (inquireSupport); sglang "
        "0.5.14 sglang/srt/disaggregation/common/conn.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "SGLang 0.5.14"),
    fix="Set kv_cache_config.tokens_per_block, or --page-size of SGLang, alike on both, or on neither.",
    check=_check,
)
