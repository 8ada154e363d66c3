"""The model that a recipe serves: which files, and the numbers of its architecture that sizes follow from."""

from typing import Annotated, Literal

from pydantic import Field

from engines import KV_VALUE_BYTES
from recipes.strict_model import StrictModel
from recipes.tensorrt_llm.blocks import KvDtype

PositiveInt = Annotated[int, Field(gt=0)]
CommitHash = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class ModelFiles(StrictModel):
    """The checkpoint: which files of which revision, and its config.json in numbers."""

    repository: str
    """Repository on the Hugging Face hub."""
    revision: CommitHash
    """Pinned: a branch that moves would change the model under a running service."""
    served_name: str
    size_bytes: PositiveInt
    """Bytes of the files that are downloaded, after the exclusions."""
    excluded_files: tuple[str, ...]
    model_type: Literal["gpt_oss"]
    """As in config.json: the engine chooses its implementation, and so its limits, by it."""
    layers: PositiveInt
    kv_heads: PositiveInt
    """Heads of the KV cache, of all GPUs together."""
    head_dim: PositiveInt
    experts: PositiveInt
    max_positions: PositiveInt
    """Tokens of prompt and answer that the model was made for; the engine's max_seq_len if nothing is set."""

    def kv_bytes_per_token(self, dtype: KvDtype) -> int:
        """Bytes of KV cache of one token in all layers, on all GPUs of a worker together.

        Sliding-window layers count in full: the engine keeps and transfers all of their tokens unless
        kv_cache_config.max_attention_window is set.
        """
        return round(self.layers * 2 * self.kv_heads * self.head_dim * KV_VALUE_BYTES[dtype])
