"""What prefill and decode must have in common, as one hands its KV cache to the other."""

from collections.abc import Iterator, Mapping
from itertools import product

from resource_graph import ResourceGraph
from rules.reading.disaggregation import Disaggregated, Role
from rules.reading.engines.models import (
    effective_backend,
    effective_format,
    read_kv_format,
    read_model_limits,
    served_name,
    tokens_per_block,
)
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_ways import (
    KV_TRANSFER,
    NIXL_CONNECTOR,
    connects_by_itself,
    moving_connector,
    nixl_backends,
)
from rules.reading.pods.workers import Worker
from rules.reading.releases import known_lines, runtime_image
from rules.reading.shapes import Undecided
from rules.rule import DISAGGREGATED, Advice, Said, Severity, each_of, rule

_OF_NIXL_ITSELF = "UCX"
"""The plugin that NIXL takes where none is named."""


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason=(
        "The router brings prefill and decode together by the model's name: with two names prefill is never "
        "called. A cache of another model has another shape, the receiving side refuses other blocks, and "
        "bytes of another format are not taken or read wrongly. Each "
        "library has a handshake of its own: a decode worker that speaks another waits for a cache that "
        "never comes, or computes the prompt again by itself (advice)."
    ),
    source=(
        "NVIDIA/TensorRT-LLM docs/source/features/disagg-serving.md at 0434b98, "
        "docs trtllm-kv-cache-transfer (backend DEFAULT) in ai-dynamo/dynamo at 2f34551; ai-dynamo/dynamo "
        "lib/llm/src/discovery/model_manager.rs (activate_prefill_router); "
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (inquireSupport)"
    ),
    lines=("Dynamo 0.5 to 1.6", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Give both sides one image, --model, --served-model-name and tokens_per_block, one "
        "kv_cache_config.dtype (vLLM: --kv-cache-dtype), and one backend or connector."
    ),
)
def prefill_and_decode_agree(graph: ResourceGraph, group: Disaggregated) -> Iterator[Said]:
    """Prefill and decode differ in what they must share."""
    return each_of(graph, group, _models, _formats, _libraries, _releases)


def _models(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    names = {worker.name: served_name(worker) for worker in group.workers}
    yield from _different(
        "their models have different names",
        {name: (found.value, f" ({found.source})") for name, found in names.items() if found is not None},
    )
    models = {worker.name: read_model_limits(graph, worker) for worker in group.workers}
    yield from _different(
        "they load different models",
        {name: (model.name, "") for name, model in models.items() if model is not None},
    )
    if all(is_tensorrt_llm(worker) for worker in group.workers):
        sizes = {each.name: tokens_per_block(read_settings(graph, each)) for each in group.workers}
        yield from _different(
            "their tokens_per_block differ",
            {name: (size.value, f" ({size.source})") for name, size in sizes.items()},
        )


def _different(what: str, found: Mapping[str, tuple[object, str]]) -> Iterator[str]:
    if len({str(value) for value, _ in found.values()}) > 1:
        shown = ", ".join(f"{name} {value}{source}" for name, (value, source) in found.items())
        yield f"{what}: {shown}"


def _formats(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    formats = {worker: read_kv_format(graph, worker) for worker in group.workers}
    found = {worker: each for worker, each in formats.items() if each is not None}
    # What "auto" comes to is asked only where another side says something else.
    if len({each.value for each in found.values()}) > 1:
        yield from _different(
            "the formats of their KV cache differ",
            {
                worker.name: (effective_format(graph, worker, each), f" by {each}")
                for worker, each in found.items()
            },
        )


def _libraries(graph: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    senders = {_library(graph, worker, "prefill"): worker for worker in group.prefill}
    receivers = {_library(graph, worker, "decode"): worker for worker in group.decode} if any(senders) else {}
    for (sending, sender), (receiving, receiver) in product(senders.items(), receivers.items()):
        if sending is not None and receiving is not None and sending != receiving:
            hands = f"{sender.name} hands KV cache over by {sending}"
            yield Advice(f"{hands}, but {receiver.name} takes it by {receiving}")
            return


def _library(graph: ResourceGraph, worker: Worker, role: Role) -> str | None:
    """The library that the worker transfers with; None without one, which another rule reports."""
    if is_tensorrt_llm(worker):
        backend = effective_backend(graph, worker)
        return None if backend is None else f"TensorRT-LLM's {backend}"
    if not is_vllm(worker):
        raise Undecided(f"{worker.name} starts an engine whose KV transfer is not read here")
    config = read_settings(graph, worker).mapping(KV_TRANSFER)
    if config is not None:
        connector = moving_connector(config) or "a connector without a name"
        if connector != NIXL_CONNECTOR:
            return connector
        return f"{connector} ({' and '.join(sorted(nixl_backends(config) or [_OF_NIXL_ITSELF]))})"
    if role == "prefill" and not known_lines(worker.container, worker.described_by):
        return None
    if connects_by_itself(worker):
        return f"{NIXL_CONNECTOR} ({_OF_NIXL_ITSELF})"
    return "no connector" if role == "decode" else None


def _releases(_: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    images = {worker.name: runtime_image(worker) for worker in group.workers}
    lines = {name: image[0][:2] for name, image in images.items() if image is not None}
    shown = {name: (f"{major}.{minor}", "") for name, (major, minor) in lines.items()}
    yield from map(Advice, _different("their runtimes are of different release lines", shown))
