"""The shape of the two gpt-oss models, as far as memory and limits follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engines.sources import GPT_OSS_CONFIGS
from hardware import Source


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What a model's config.json says of its size."""

    name: str
    layers: int
    experts: int
    hidden_size: int
    intermediate_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    experts_per_token: int
    vocabulary: int
    max_positions: int
    """Tokens of prompt and answer together."""
    source: Source = GPT_OSS_CONFIGS

    def kv_bytes_per_token(self, bytes_per_value: int) -> int:
        """Bytes of KV cache that one token takes over all layers and heads: a key and a value each.

        Tensor parallelism spreads the heads over up to `kv_heads` GPUs; under attention data parallelism
        every rank keeps all of them.
        """
        return self.layers * 2 * self.kv_heads * self.head_dim * bytes_per_value


def _gpt_oss(name: str, *, layers: int, experts: int) -> ModelShape:
    return ModelShape(
        name=name,
        layers=layers,
        experts=experts,
        hidden_size=2880,
        intermediate_size=2880,
        attention_heads=64,
        kv_heads=8,
        head_dim=64,
        experts_per_token=4,
        vocabulary=201_088,
        max_positions=131_072,
    )


GPT_OSS_MODELS: Mapping[str, ModelShape] = MappingProxyType(
    {
        "gpt-oss-120b": _gpt_oss("gpt-oss-120b", layers=36, experts=128),
        "gpt-oss-20b": _gpt_oss("gpt-oss-20b", layers=24, experts=32),
    }
)
"""Name, as it ends a repository's name -> shape."""
