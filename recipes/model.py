"""What a recipe is: one model, one engine, the services that serve it and what was corrected.

Recipes are data (recipes/catalogue/); nothing of a particular cluster is in them.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from hardware import ArchitectureFamily
from recipes.consistency import contradictions
from recipes.strict_model import StrictModel
from recipes.tensorrt_llm import TensorRtLlmOptions, WorkerRole

Role = Literal["frontend", "prefill", "decode"]
PositiveInt = Annotated[int, Field(gt=0)]
CommitHash = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class ModelFiles(StrictModel):
    """The checkpoint: which files of which revision."""

    repository: str
    """Repository on the Hugging Face hub."""
    revision: CommitHash
    """Pinned: a branch that moves would change the model under a running service."""
    served_name: str
    size_bytes: PositiveInt
    """Bytes of the files that are downloaded, after the exclusions."""
    excluded_files: tuple[str, ...]


class Runtime(StrictModel):
    """The container image of frontend and workers."""

    image: str
    """Repository without a tag."""
    version: str
    platform_line: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+$")]
    """Minor version of the Dynamo platform whose operator and flags the recipe is written for."""


class Traffic(StrictModel):
    """The traffic the published sizes are meant for."""

    input_tokens: PositiveInt
    output_tokens: PositiveInt
    concurrency: PositiveInt


class Quantization(StrictModel):
    """Number formats of expert weights and activations."""

    algorithm: str
    architecture_families: tuple[ArchitectureFamily, ...]
    """GPU families with kernels for the algorithm; on any other the worker stops at start."""


class Vocabulary(StrictModel):
    """The tokenizer vocabulary that the harmony parsers load beside the model's own files."""

    url: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ModelCacheRecipe(StrictModel):
    """Where the model's files lie in every pod, and how they get there."""

    mount_path: str
    vocabulary: Vocabulary
    vocabulary_directory: str
    download_job_name: str
    download_image: str
    download_packages: tuple[str, ...]
    download_memory_limit: str
    download_environment: Mapping[str, str]


class ServiceRecipe(StrictModel):
    """One service of the graph."""

    service_name: str
    role: Role
    replicas: PositiveInt
    gpus: Annotated[int, Field(ge=0)]
    arguments: tuple[str, ...]
    """Command-line flags beyond those that follow from the recipe, one flag or value an entry."""
    environment: Mapping[str, str]
    shared_memory: str | None = None
    """Size of /dev/shm as a Kubernetes quantity."""
    engine: TensorRtLlmOptions | None = None

    @property
    def worker_role(self) -> WorkerRole:
        """prefill or decode.

        Raises:
            ValueError: the service is a frontend.

        """
        if self.role == "frontend":
            raise ValueError(f"{self.service_name} is a frontend, not a worker")
        return self.role

    @model_validator(mode="after")
    def _engine_exactly_on_workers(self) -> "ServiceRecipe":
        if self.role == "frontend":
            if self.engine or self.gpus:
                raise ValueError(f"{self.service_name}: a frontend has no engine and no GPUs")
            return self
        if self.engine is None:
            raise ValueError(f"{self.service_name}: a {self.role} worker needs engine options")
        if self.gpus != self.engine.gpus:
            raise ValueError(
                f"{self.service_name}: {self.gpus} GPUs, but the engine's parallelism "
                f"takes {self.engine.gpus}"
            )
        return self


class Correction(StrictModel):
    """One published value that was changed or is guarded, and why."""

    id: Annotated[str, Field(pattern=r"^[A-Z][0-9]+$")]
    setting: str
    published: str
    ours: str
    why: str
    source: str


class Recipe(StrictModel):
    """A published way to serve a model, with every correction on record.

    Raises:
        pydantic.ValidationError: unknown keys, wrong types, or parts that contradict each other.

    """

    name: str
    title: str
    sources: tuple[str, ...]
    model: ModelFiles
    framework: Literal["tensorrt-llm"]
    runtime: Runtime
    graph_name: str
    working_directory: str
    traffic: Traffic
    quantization: Quantization
    model_cache: ModelCacheRecipe
    services: tuple[ServiceRecipe, ...]
    corrections: tuple[Correction, ...]

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> "Recipe":
        found = contradictions(self)
        if found:
            raise ValueError("; ".join(found))
        return self

    @property
    def workers(self) -> tuple[ServiceRecipe, ...]:
        """The services with GPUs, in published order."""
        return tuple(service for service in self.services if service.engine is not None)

    @property
    def snapshot_path(self) -> str:
        """Directory of the pinned revision in the mounted cache, in the hub's own layout."""
        folder = "models--" + self.model.repository.replace("/", "--")
        return f"{self.model_cache.mount_path}/hub/{folder}/snapshots/{self.model.revision}"
