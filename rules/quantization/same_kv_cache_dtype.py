"""Prefill and decode keep the KV cache in one format."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.kv_formats import effective_format, read_kv_format
from rules.reading.kv_transport.disaggregation import Disaggregated, check_disaggregated


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_disaggregated(graph, lambda group: _check_group(graph, group))


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    formats = [
        (worker, found) for worker in group.workers if (found := read_kv_format(graph, worker)) is not None
    ]
    if len({found.text for _, found in formats}) <= 1:
        return
    names: dict[str, list[str]] = {}
    for worker, found in formats:
        names.setdefault(effective_format(graph, worker, found), []).append(f"{worker.name}: {found}")
    if len(names) > 1:
        shown = "; ".join(f"{name} in {', '.join(users)}" for name, users in names.items())
        yield failed(group.resource, group.subject, f"the KV cache differs: {shown}")


RULE = Rule(
    id="same-kv-cache-dtype",
    title="Prefill and decode keep the KV cache in one format",
    severity=Severity.MANDATORY,
    reason="The cache travels as bytes. Of another format, decode cannot take them or reads them wrongly.",
    source="NVIDIA/TensorRT-LLM docs/source/features/disagg-serving.md at 0434b98",
    lines=("TensorRT-LLM 1.3.0rc14",),
    fix="Set kv_cache_config.dtype (TensorRT-LLM) or --kv-cache-dtype (vLLM, SGLang) to one value on both.",
    check=_check,
)
