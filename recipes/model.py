"""What a recipe is: one model, one engine, the services that serve it and what was corrected.

Recipes are data (recipes/catalogue/); nothing of a particular cluster is in them.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from engines import KV_VALUE_BYTES
from hardware import ArchitectureFamily
from recipes.benchmark import Benchmark, GibQuantity
from recipes.consistency import contradictions
from recipes.evidence import Evidence
from recipes.strict_model import PositiveInt, StrictModel
from recipes.tensorrt_llm import QuantizationAlgorithm, TensorRtLlmOptions, WorkerRole
from recipes.tensorrt_llm.blocks import KvDtype

Role = Literal["frontend", "prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""
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
    """Model type in config.json: the engine chooses its implementation, and so its limits, by it."""
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


class Quantization(StrictModel):
    """Number formats of expert weights and activations."""

    algorithm: QuantizationAlgorithm | None = None
    """None: the engine's default for the checkpoint, which is left unnamed."""
    architecture_families: tuple[ArchitectureFamily, ...]
    """GPU families with kernels for what the recipe asks; on any other the worker stops at start."""


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


class FrontendResources(StrictModel):
    """Processor time and memory of one frontend pod."""

    cpu_request: PositiveInt
    cpu_limit: PositiveInt
    memory: GibQuantity
    """Request and limit."""

    @property
    def memory_gib(self) -> int:
        """Memory in GiB."""
        return int(self.memory.removesuffix("Gi"))

    @model_validator(mode="after")
    def _limit_covers_request(self) -> "FrontendResources":
        if self.cpu_limit < self.cpu_request:
            raise ValueError(f"cpuLimit {self.cpu_limit} is below cpuRequest {self.cpu_request}")
        return self


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
    resources: FrontendResources | None = None
    """Resources of the frontends; what a worker asks for follows from its node and its GPUs."""

    @property
    def worker_role(self) -> WorkerRole:
        """prefill, decode or worker.

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
            if self.resources is None:
                raise ValueError(f"{self.service_name}: a frontend needs resources")
            return self
        if self.resources is not None:
            raise ValueError(f"{self.service_name}: only a frontend has resources; remove them")
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
    benchmark: Benchmark
    validated_on: tuple[str, ...]
    """Accelerators on which the publisher has run its own version of the recipe."""
    evidence: tuple[Evidence, ...]
    """How far this project has tried the recipe, per accelerator."""
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
    def is_disaggregated(self) -> bool:
        """Whether prefill and decode run in different workers."""
        return any(service.role == "decode" for service in self.services)

    def engine_of(self, role: WorkerRole) -> TensorRtLlmOptions:
        """Return the engine options of a role.

        Raises:
            KeyError: the recipe has no worker of that role.

        """
        for service in self.workers:
            if service.role == role and service.engine is not None:
                return service.engine
        raise KeyError(role)

    @property
    def longest_prompt(self) -> int:
        """Tokens of the longest prompt that is answered; the engine refuses a longer one."""
        prefilling = self.engine_of("prefill" if self.is_disaggregated else "worker")
        return min(prefilling.longest_prompt(self.model.max_positions), self.longest_sequence - 1)

    @property
    def longest_sequence(self) -> int:
        """Tokens of a prompt and its answer together."""
        generating = self.engine_of("decode" if self.is_disaggregated else "worker")
        return generating.effective_max_seq_len(self.model.max_positions)

    @property
    def gpus(self) -> int:
        """GPUs of all workers together."""
        return sum(worker.gpus * worker.replicas for worker in self.workers)

    def with_replicas(self, replicas: Mapping[str, int]) -> "Recipe":
        """Return the recipe with other numbers of replicas, by service name; what is not named stays."""
        services = tuple(
            service.model_copy(update={"replicas": replicas.get(service.service_name, service.replicas)})
            for service in self.services
        )
        return self.model_copy(update={"services": services})

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of KV cache that one token takes, on all GPUs of a worker together."""
        engine = self.engine_of("prefill" if self.is_disaggregated else "worker")
        return self.model.kv_bytes_per_token(engine.kv_dtype)

    @property
    def running_requests(self) -> int:
        """Requests that all engines together run at once; more wait in a queue."""
        generating: WorkerRole = "decode" if self.is_disaggregated else "worker"
        return sum(
            worker.engine.concurrent_requests * worker.replicas
            for worker in self.workers
            if worker.engine is not None and worker.role == generating
        )

    @property
    def benchmark_concurrency(self) -> int:
        """Requests that the benchmark keeps open, never more than the engines run at once.

        More would wait in a queue, and the benchmark would measure the queue.
        """
        return min(self.benchmark.concurrency_per_gpu * self.gpus, self.running_requests)

    @property
    def snapshot_path(self) -> str:
        """Directory of the pinned revision in the mounted cache, in the hub's own layout."""
        folder = "models--" + self.model.repository.replace("/", "--")
        return f"{self.model_cache.mount_path}/hub/{folder}/snapshots/{self.model.revision}"
