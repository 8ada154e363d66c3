"""A model as it is served: files and revision, shape, what reads its answers, where it lies in every pod."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from engines.models import GPT_OSS_MODELS, ModelShape, hub_folder
from recipes.strict_model import PositiveInt, StrictModel

IMAGE_USER = 1000
"""User of the runtime image, and group of its pods' volumes: pods that serve read what it writes to the cache
(ai-dynamo/dynamo container/templates/dynamo_runtime.Dockerfile)."""
MODEL_DIRECTORY = "/opt/models"
"""Where pods mount the cache. Correction K16: the runtime's image does not run as root."""
VOCABULARY_DIRECTORY = f"{MODEL_DIRECTORY}/tiktoken"


class Vocabulary(StrictModel):
    """The tokenizer vocabulary that the harmony parsers load beside the model's own files."""

    url: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PinnedModel(StrictModel):
    """One commit of a repository, and where it lies in every pod."""

    repository: str
    """Repository on the Hugging Face hub."""
    revision: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    """Pinned: a branch that moves would change the model under a running service."""
    size_bytes: PositiveInt
    """Bytes of the files that are downloaded, after the exclusions, or a bound of them."""

    @property
    def name(self) -> str:
        """Name without its owner."""
        return self.repository.rpartition("/")[2]

    @property
    def snapshot_directory(self) -> str:
        """Directory of the revision in the mounted cache, in the hub's own layout."""
        return f"{MODEL_DIRECTORY}/hub/{hub_folder(self.repository)}/snapshots/{self.revision}"


class ModelFiles(PinnedModel):
    """The checkpoint, described once for all recipes that serve it (recipes/models/)."""

    served_name: str
    excluded_files: tuple[str, ...]
    model_type: Literal["gpt_oss"]
    """Model type in config.json: the engine chooses its implementation, and so its limits, by it."""
    reasoning_parser: str
    """Value of --dyn-reasoning-parser on every worker."""
    tool_call_parser: str
    """Value of --dyn-tool-call-parser on every worker."""
    vocabulary: Vocabulary
    draft_models: tuple[PinnedModel, ...] = ()
    """Models that propose tokens for it to check, by whose repositories options of an engine name them, and
    that may be put on the cache beside it: a recipe that names one brings it there."""

    @field_validator("repository")
    @classmethod
    def _has_a_known_shape(cls, repository: str) -> str:
        if repository.rpartition("/")[2] not in GPT_OSS_MODELS:
            raise ValueError(f"nothing is known of its shape; known are {', '.join(GPT_OSS_MODELS)}")
        return repository

    @property
    def shape(self) -> ModelShape:
        """Layers, heads, experts and positions, as config.json has them."""
        return GPT_OSS_MODELS[self.name]

    @property
    def parser_arguments(self) -> tuple[str, ...]:
        """Flags of a worker that make the runtime take answers apart into reasoning, text and tool calls."""
        return (
            *("--dyn-reasoning-parser", self.reasoning_parser),
            *("--dyn-tool-call-parser", self.tool_call_parser),
        )
