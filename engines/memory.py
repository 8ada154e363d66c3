"""Memory that gpt-oss takes of each GPU: its weights, the KV cache of a sequence, and what the engine adds.

Experts are in MXFP4, everything else (attention, router, embedding, output layer) is in bfloat16. The engine
measures what it adds by a run at the largest batch. Before that run there are only heuristics: here those of
NVIDIA's configuration search (ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py at
095f58a).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engines.models import ModelShape

GIB = 2**30

SLIDING_WINDOW = 128
"""Tokens that every second layer of gpt-oss, the first one included, looks back (its config.json)."""

_BFLOAT16_BYTES = 2
_MXFP4_BYTES = 4 / 8 + 1 / 32
"""Half a byte, and a scale of one byte for every 32 values."""
# The kernels take the experts' biases in float32.
_LOADED_BIAS_BYTES = 4

# Runtime, libraries, CUDA graphs; and NCCL where GPUs talk to each other.
_RUNTIME_GIB = 3.5
_NCCL_GIB = 0.38

_ATTENTION_WIDTH = 64 * 64
# Layers' worth of intermediate results that live at once, by the number of GPUs that share them.
_LIVE_RESULTS = {1: 22, 2: 13}
_LIVE_RESULTS_FROM_FOUR = 10
_DISPATCH_FACTOR = 16
_REFERENCE_EXPERTS = 128


@dataclass(frozen=True, slots=True)
class Sharding:
    """How one worker spreads the model over its GPUs."""

    tensor: int = 1
    """GPUs that share the model; under attention data parallelism the number of its ranks."""
    expert: int = 1
    """Groups among which the experts are divided; within a group each expert is split."""
    attention_data_parallel: bool = False
    """Every GPU holds the whole attention, and the whole KV cache of its own requests."""

    @property
    def attention(self) -> int:
        """GPUs among which attention weights and KV heads are split."""
        return 1 if self.attention_data_parallel else self.tensor


@dataclass(frozen=True, slots=True)
class MemoryDemand:
    """GiB of one GPU that are gone before the KV cache gets its share."""

    weights: float
    activations: float
    runtime: float
    """CUDA, libraries, CUDA graphs and NCCL."""

    @property
    def total(self) -> float:
        """GiB of one GPU that weights, activations and runtime take together."""
        return self.weights + self.activations + self.runtime

    def __str__(self) -> str:
        return (
            f"weights {self.weights:.1f} + activations {self.activations:.1f} + runtime and CUDA graphs "
            f"{self.runtime:.1f} = {self.total:.1f} GiB"
        )


@dataclass(frozen=True, slots=True)
class ExpertPadding:
    """Multiples to which an engine's kernels pad a matrix of an expert, whose dimensions are 2880.

    128 is what most kernels of both engines take.
    """

    first_hidden: int = 128
    """Input of the first two matrices of an expert."""
    second_hidden: int = 128
    """Output of its last matrix."""
    intermediate: int = 128


def checkpoint_bytes(model: ModelShape) -> int:
    """Bytes of the published tensors, which nothing pads."""
    experts = model.layers * model.experts
    matrices = experts * 3 * model.hidden_size * model.intermediate_size * _MXFP4_BYTES
    biases = experts * (2 * model.intermediate_size + model.hidden_size) * _BFLOAT16_BYTES
    return round(matrices + biases + _dense_bytes(model))


def weight_bytes(model: ModelShape, padding: ExpertPadding, sharding: Sharding) -> float:
    """Bytes of the loaded weights on each GPU, padded as the kernels need them."""
    first = _padded(model.hidden_size, padding.first_hidden)
    second = _padded(model.hidden_size, padding.second_hidden)
    share = math.ceil(model.intermediate_size * sharding.expert / sharding.tensor)
    inner = _padded(share, padding.intermediate)
    experts = model.layers * math.ceil(model.experts / sharding.expert)
    matrices = experts * inner * (2 * first + second) * _MXFP4_BYTES
    biases = experts * (2 * inner + second) * _LOADED_BIAS_BYTES
    return matrices + biases + _dense_bytes(model) / sharding.attention


def kv_bytes(
    model: ModelShape,
    tokens: int,
    value_bytes: float,
    sharding: Sharding = Sharding(),
    windows: Sequence[int] = (),
) -> float:
    """Bytes of KV cache on each GPU of one sequence.

    Args:
        model: whose layers they are.
        tokens: of prompt and answer.
        value_bytes: of one value of the cache.
        sharding: a KV head is never split, so that GPUs beyond the number of heads hold them again.
        windows: tokens that a layer keeps, repeated over the layers; empty where every layer keeps all, as
            the engine does unless kv_cache_config.max_attention_window is set.
    """
    kept_in = windows or (tokens,)
    kept = sum(min(tokens, kept_in[layer % len(kept_in)]) for layer in range(model.layers))
    heads = max(1, model.kv_heads / sharding.attention)
    return kept * 2 * heads * model.head_dim * value_bytes


def memory_demand(
    model: ModelShape, padding: ExpertPadding, sharding: Sharding, *, max_num_tokens: int
) -> MemoryDemand:
    """What weights, activations and the engine itself need of each GPU.

    Args:
        model: what is served.
        padding: of the kernels that run the experts.
        sharding: of one worker.
        max_num_tokens: tokens that go through the model at once, in each rank.
    """
    ranks = sharding.tensor if sharding.attention_data_parallel else 1
    live = _LIVE_RESULTS.get(sharding.attention, _LIVE_RESULTS_FROM_FOUR)
    dispatched = _DISPATCH_FACTOR * ranks * model.experts / (_REFERENCE_EXPERTS * sharding.expert)
    activations = max_num_tokens * _ATTENTION_WIDTH * (2 * live + dispatched)
    return MemoryDemand(
        weights=weight_bytes(model, padding, sharding) / GIB,
        activations=activations / GIB,
        runtime=_RUNTIME_GIB + (_NCCL_GIB if sharding.tensor > 1 else 0),
    )


def _dense_bytes(model: ModelShape) -> int:
    """Bytes of everything but the experts."""
    hidden = model.hidden_size
    queries, keys = model.attention_heads * model.head_dim, model.kv_heads * model.head_dim
    projections = (hidden + 1) * (queries + 2 * keys) + (queries + 1) * hidden
    sinks, norms, router = model.attention_heads, 2 * hidden, (hidden + 1) * model.experts
    layers = model.layers * (projections + sinks + norms + router)
    embedding_and_output, last_norm = 2 * model.vocabulary * hidden, hidden
    return (layers + embedding_and_output + last_norm) * _BFLOAT16_BYTES


def _padded(size: int, multiple: int) -> int:
    return math.ceil(size / multiple) * multiple
