"""What a recipe is: one model, one engine, the services that serve it and what was corrected.

Recipes are data (recipes/catalogue/); nothing of a particular cluster is in them.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from engines import MxFp4AlgorithmName
from engines.engine import Engine
from engines.option_types import WorkerRole
from engines.registry import ENGINE_SERVERS, ENGINES, Framework, Options, ServerName
from engines.server import EngineServer
from hardware import ArchitectureFamily
from recipes.benchmark import Benchmark, GibQuantity
from recipes.consistency import contradictions
from recipes.correction import Correction
from recipes.evidence import Evidence
from recipes.fitting import Variant, every_fit
from recipes.model_cache import snapshot_directory
from recipes.model_files import DraftModel, ModelFiles
from recipes.pod_recipe import PodRecipe
from recipes.runtime import Runtime
from recipes.strict_model import PositiveInt, StrictModel

Role = Literal["frontend", "prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""


class Traffic(StrictModel):
    """The traffic the published sizes are meant for."""

    input_tokens: PositiveInt
    output_tokens: PositiveInt


class Quantization(StrictModel):
    """Number formats of expert weights and activations."""

    algorithm: MxFp4AlgorithmName | None = None
    """None: the engine's default for the checkpoint, which is left unnamed."""
    architecture_families: tuple[ArchitectureFamily, ...]
    """GPU families with kernels for what the recipe asks; on any other the worker stops at start."""


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
    image_version: str | None = None
    """Tag of this service's image; None: the runtime's."""
    shared_memory: str | None = None
    """Size of /dev/shm as a Kubernetes quantity."""
    engine: Options | None = None
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


class Recipe(StrictModel):
    """A published way to serve a model, with every correction on record.

    Raises:
        pydantic.ValidationError: unknown keys, wrong types, or parts that contradict each other.

    """

    name: str
    title: str
    sources: tuple[str, ...]
    model: ModelFiles
    framework: Framework
    server: ServerName = "dynamo"
    """What answers requests; without Dynamo the one worker does, and needs no platform."""
    runtime: Runtime
    graph_name: str
    one_pod: str | None = None
    """Name of the one service whose pods run prefill and decode as processes of one container, on one node;
    None: pods of their own."""
    working_directory: str | None = None
    """Directory in which workers start; None: the image's."""
    traffic: Traffic
    quantization: Quantization
    services: tuple[ServiceRecipe, ...]
    benchmark: Benchmark
    validated_on: tuple[str, ...]
    """Accelerators on which the publisher has run its own version of the recipe."""
    variants: tuple[Variant, ...] = ()
    """What differs on some GPUs, or with another number of them. The services' own values are for the first
    family and the workers' GPUs named there."""
    evidence: tuple[Evidence, ...]
    """How far this project has tried the recipe, per accelerator."""
    corrections: tuple[Correction, ...]

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> "Recipe":
        # Each fit is a recipe that a stack can choose; two may have one mistake in common.
        fits = every_fit(self) if self.variants else (self,)
        found = dict.fromkeys(text for fit in fits for text in contradictions(fit))
        if found:
            raise ValueError("; ".join(found))
        return self

    @property
    def serving_engine(self) -> Engine[Options]:
        """The engine that all of its workers run."""
        return ENGINES[self.framework]

    @property
    def engine_server(self) -> EngineServer | None:
        """The engine's own server; None where Dynamo serves."""
        return ENGINE_SERVERS.get(self.server)

    @property
    def engine_release(self) -> str:
        """Release of Dynamo's runtime with the recipe's engine, by which facts of engines are told apart."""
        server = self.engine_server
        return server.dynamo_releases[self.runtime.version] if server else self.runtime.version

    @property
    def workers(self) -> tuple[ServiceRecipe, ...]:
        """The services with GPUs, in published order."""
        return tuple(service for service in self.services if service.engine is not None)

    @property
    def is_disaggregated(self) -> bool:
        """Whether prefill and decode run in different workers."""
        return any(service.role == "decode" for service in self.services)

    @property
    def pods(self) -> tuple[PodRecipe, ...]:
        """The services of the graph, in published order."""
        pods = [
            PodRecipe(service.service_name, service.role, service.replicas, (service,))
            for service in self.services
            if self.one_pod is None or service.engine is None
        ]
        if self.one_pod is not None:
            workers = self.workers
            pods.append(PodRecipe(self.one_pod, "worker", workers[0].replicas, workers))
        return tuple(pods)

    def engine_of(self, role: WorkerRole) -> Options:
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
        return min(prefilling.longest_prompt(self.model.shape.max_positions), self.longest_sequence - 1)

    @property
    def longest_sequence(self) -> int:
        """Tokens of a prompt and its answer together."""
        generating = self.engine_of("decode" if self.is_disaggregated else "worker")
        return generating.effective_max_seq_len(self.model.shape.max_positions)

    @property
    def gpus(self) -> int:
        """GPUs of all workers together."""
        return sum(worker.gpus * worker.replicas for worker in self.workers)

    def on_line(self, line: str) -> "Recipe":
        """Return the recipe with the image that it runs on a line of the platform that it names.

        Options, words and variables that differ between lines are rendered by the image's version.
        """
        runtime = self.runtime.model_copy(update={"version": self.runtime.version_on(line)})
        return self.model_copy(update={"runtime": runtime})

    def with_replicas(self, replicas: Mapping[str, int]) -> "Recipe":
        """Return the recipe with other numbers of replicas, by service name; what is not named stays."""
        numbers = {
            process.service_name: replicas.get(pod.service_name, pod.replicas)
            for pod in self.pods
            for process in pod.processes
        }
        services = tuple(
            service.model_copy(update={"replicas": numbers[service.service_name]})
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
        return min(self.benchmark.requests_at_a_time(self.gpus), self.running_requests)

    @property
    def draft_models(self) -> tuple[DraftModel, ...]:
        """The draft models that its workers name, which the cache has to hold as well."""
        named = {worker.engine.draft_model for worker in self.workers if worker.engine is not None}
        return tuple(draft for draft in self.model.draft_models if draft.repository in named)

    @property
    def download_bytes(self) -> int:
        """Bytes of everything that the cache has to hold."""
        return self.model.size_bytes + sum(draft.size_bytes for draft in self.draft_models)

    @property
    def snapshot_path(self) -> str:
        """Directory of the model's pinned revision in the mounted cache."""
        return snapshot_directory(self.model)
