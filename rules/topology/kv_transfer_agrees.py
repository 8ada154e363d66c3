"""Prefill and decode workers hand KV cache over by one library, in roles that fit."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed, undecided
from rules.reading.engines.runtime_version import by_line, known_lines, runtime_image
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm, read_vllm
from rules.reading.kv_transport.cache_transceiver import effective_backend
from rules.reading.kv_transport.disaggregation import Disaggregated, Role, read_disaggregated
from rules.reading.kv_transport.vllm_transfer import (
    KV_TRANSFER_CONFIG,
    NIXL_CONNECTOR,
    WITHOUT_A_DEFAULT,
    moving_connector,
)
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided, text_at

_SGLANG_BACKEND = "--disaggregation-transfer-backend"
_SGLANG_DEFAULT = "mooncake"
_ROLES: Mapping[Role, tuple[str, str]] = {
    "prefill": ("kv_both", "kv_producer"),
    "decode": ("kv_both", "kv_consumer"),
}


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for group in read_disaggregated(graph):
        try:
            yield from _check_group(graph, group)
        except Undecided as reason:
            yield undecided(group.resource, group.name, str(reason))


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    senders = {_library(graph, worker, "prefill"): worker for worker in group.prefill}
    receivers = (
        {} if senders.keys() == {None} else {_library(graph, each, "decode"): each for each in group.decode}
    )
    different = [
        (sending, receiving)
        for sending in senders
        for receiving in receivers
        if sending is not None and receiving is not None and sending != receiving
    ]
    for sending, receiving in different[:1]:
        yield failed(
            group.resource,
            group.name,
            f"{senders[sending].name} hands KV cache over by {sending}, but {receivers[receiving].name} "
            f"takes it by {receiving}",
        )
    releases = {worker.name: runtime_image(worker) for worker in group.workers}
    lines = {name: release[0][:2] for name, release in releases.items() if release is not None}
    if len(set(lines.values())) > 1:
        shown = ", ".join(f"{name} of {major}.{minor}" for name, (major, minor) in lines.items())
        yield failed(group.resource, group.name, f"their runtimes are of different release lines: {shown}")
    for worker in group.prefill:
        yield from _check_role(graph, worker, "prefill")
    for worker in group.decode:
        yield from _check_role(graph, worker, "decode")


def _library(graph: ResourceGraph, worker: Worker, role: Role) -> str | None:
    """What the worker transfers with; None where it has nothing, which is another rule's finding."""
    if is_tensorrt_llm(worker):
        backend = effective_backend(graph, worker)
        return None if backend is None else f"TensorRT-LLM's {backend}"
    if is_vllm(worker):
        config = read_vllm(graph, worker).mapping(KV_TRANSFER_CONFIG)
        if config is not None:
            return moving_connector(config) or "a connector without a name"
        if role == "prefill" and not known_lines(worker.container, worker.described_by):
            return None
        if by_line(lambda line: line < WITHOUT_A_DEFAULT, worker.container, worker.described_by):
            return NIXL_CONNECTOR
        return "no connector" if role == "decode" else None
    if is_sglang(worker):
        return f"SGLang's {read_sglang(graph, worker).setting(_SGLANG_BACKEND, _SGLANG_DEFAULT).value}"
    raise Undecided(f"{worker.name} starts an engine whose KV transfer is not read here")


def _check_role(graph: ResourceGraph, worker: Worker, role: Role) -> Iterator[Observation]:
    if not is_vllm(worker):
        return
    config = read_vllm(graph, worker).mapping(KV_TRANSFER_CONFIG)
    given = None if config is None else text_at(config, "kv_role")
    if config is None or given in _ROLES[role]:
        return
    yield failed(
        worker.resource,
        worker.name,
        f"is a {role} worker with kv_role {given or 'unset'} in {KV_TRANSFER_CONFIG}; of use are "
        f"{' and '.join(_ROLES[role])}",
    )


RULE = Rule(
    id="kv-transfer-agrees",
    title="Prefill and decode workers hand KV cache over by one library, in roles that fit",
    severity=Severity.ADVISORY,
    reason=(
        "Each library has a handshake of its own: a decode worker that speaks another waits for a cache that "
        "never comes, or computes the prompt again by itself."
    ),
    source=(
        "NVIDIA/TensorRT-LLM docs trtllm-kv-cache-transfer (backend DEFAULT) in ai-dynamo/dynamo at 2f34551; "
        "ai-dynamo/dynamo docs cloud-providers/eks/efa.md at 0c21bf2 (kv_role); sglang 0.5.14 "
        "sglang/srt/server_args.py (disaggregation_transfer_backend)"
    ),
    lines=("Dynamo 0.5 to 1.6", "TensorRT-LLM 1.3.0rc14", "SGLang 0.5.14"),
    fix="Give both sides the same backend or connector, prefill kv_both or kv_producer, decode kv_both or "
    "kv_consumer.",
    check=_check,
)
