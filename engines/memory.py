"""What an engine takes of a GPU's memory beside the KV cache, estimated.

The engines measure it by a run at the largest batch; before that run only heuristics tell. They are those of
NVIDIA's configuration search, and nothing better than an estimate.
"""

from dataclasses import dataclass

from engines.model_memory import GIB, ExpertKernels, Sharding, weight_bytes
from engines.models.gpt_oss import ModelShape
from engines.sources import AICONFIGURATOR_MEMORY

SOURCE = AICONFIGURATOR_MEMORY

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
class MemoryDemand:
    """GiB of one GPU that are gone before the KV cache gets its share."""

    weights: float
    activations: float
    runtime: float
    """CUDA, libraries, CUDA graphs and NCCL."""

    @property
    def total(self) -> float:
        """All of it."""
        return self.weights + self.activations + self.runtime

    def __str__(self) -> str:
        return (
            f"weights {self.weights:.1f} + activations {self.activations:.1f} + runtime and CUDA graphs "
            f"{self.runtime:.1f} = {self.total:.1f} GiB"
        )


def memory_demand(
    model: ModelShape, kernels: ExpertKernels, sharding: Sharding, *, max_num_tokens: int
) -> MemoryDemand:
    """What weights, activations and the engine itself need of each GPU.

    Args:
        model: what is served.
        kernels: how the experts are padded.
        sharding: of one worker.
        max_num_tokens: tokens that go through the model at once, in each rank.
    """
    ranks = sharding.tensor if sharding.attention_data_parallel else 1
    live = _LIVE_RESULTS.get(sharding.attention, _LIVE_RESULTS_FROM_FOUR)
    dispatched = _DISPATCH_FACTOR * ranks * model.experts / (_REFERENCE_EXPERTS * sharding.expert)
    activations = max_num_tokens * _ATTENTION_WIDTH * (2 * live + dispatched)
    nccl = _NCCL_GIB if sharding.tensor > 1 else 0
    return MemoryDemand(
        weights=weight_bytes(model, kernels, sharding) / GIB,
        activations=activations / GIB,
        runtime=_RUNTIME_GIB + nccl,
    )
