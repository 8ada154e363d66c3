"""What it costs to carry a prompt's KV cache over the pod network."""

from engines import KV_VALUE_BYTES, ModelShape
from hardware import TCP_FLOW_GBIT, TCP_GBIT, requests_per_second, transfer_seconds
from resource_graph import ResourceGraph
from rules.reading.engines.kv_formats import effective_format, read_kv_format
from rules.reading.engines.models import read_gpt_oss
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

PROMPT_TOKENS = 8_192
"""The length that NVIDIA's disaggregated recipe for gpt-oss-120b is benchmarked with."""


def cost_over_tcp(graph: ResourceGraph, worker: Worker) -> str:
    """Bytes of one prompt's KV cache, their time on the wire and the ceiling, for a message."""
    try:
        model = _model(worker)
        kv_format = _kv_format(graph, worker)
    except Undecided as reason:
        return f"how many bytes that are is not known: {reason}"
    payload = round(model.kv_bytes_per_token(1) * KV_VALUE_BYTES[kv_format] * PROMPT_TOKENS)
    return (
        f"a prompt of {PROMPT_TOKENS:,} tokens is {payload:,} bytes of KV cache ({model.name}, {kv_format}): "
        f"{transfer_seconds(payload, TCP_GBIT):.3f} s between machines on a pod network of "
        f"{TCP_GBIT:.0f} Gbit/s, so at most {requests_per_second(payload, TCP_GBIT):.1f} prompts a second, "
        f"{requests_per_second(payload, TCP_FLOW_GBIT):.1f} over one TCP flow of {TCP_FLOW_GBIT:.0f} Gbit/s "
        "(computed, not measured)"
    )


def _model(worker: Worker) -> ModelShape:
    model = read_gpt_oss(worker)
    if model is None:
        raise Undecided(f"{worker.name} names no model whose layers are known here")
    return model


def _kv_format(graph: ResourceGraph, worker: Worker) -> str:
    kv_format = read_kv_format(graph, worker)
    name = "unknown" if kv_format is None else effective_format(graph, worker, kv_format)
    if name not in KV_VALUE_BYTES:
        raise Undecided(f"nothing here says how large KV cache of format {name} is")
    return name
