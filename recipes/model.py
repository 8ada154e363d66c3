"""What a recipe is: one model, one engine, the services that serve it and what was corrected.

Recipes are data (recipes/catalogue/); nothing of a particular cluster is in them.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

from pydantic import Field

from engines.engine import Engine, WorkerRole
from engines.memory import kv_bytes
from engines.models import KV_VALUE_BYTES, MxFp4AlgorithmName
from engines.registry import ENGINE_SERVERS, ENGINES, EngineServer, Framework, Options, ServerName
from hardware import ArchitectureFamily
from recipes.benchmark import Benchmark
from recipes.images import Runtime
from recipes.model_files import ModelFiles, PinnedModel
from recipes.services import PodRecipe, ServiceRecipe
from recipes.strict_model import PositiveInt, StrictModel


class Variant(StrictModel):
    """What differs from the recipe's own values on some GPUs; where several hold, later ones win."""

    families: tuple[ArchitectureFamily, ...] | None = None
    """GPU families on which it holds; None: on each of the recipe's."""
    gpus: PositiveInt | None = None
    """GPUs of one worker with which it holds; None: with any number."""
    algorithm: MxFp4AlgorithmName | None = None
    """Number formats of the experts, in place of the recipe's; None: the recipe's."""
    engine: Mapping[WorkerRole, Mapping[str, Any]] = Field(
        default_factory=dict[WorkerRole, Mapping[str, Any]]
    )
    """Engine options per role, merged into the recipe's key by key; null takes one away."""
    environment: Mapping[WorkerRole, Mapping[str, str]] = Field(
        default_factory=dict[WorkerRole, Mapping[str, str]]
    )
    """Variables per role, beside the recipe's or in their place."""


class Level(Enum):
    """Each level includes the ones before it."""

    RENDERED = "rendered"
    """The program produces its objects, and they pass the rules."""
    ADMITTED = "admitted"
    """An API server with the operator's definitions accepts them."""
    SCHEDULED = "scheduled (simulated)"
    """The Kubernetes scheduler places every pod on simulated nodes; no container ran."""
    MOCK_SERVED = "mock-served"
    """Requests went through the real frontend to a mock engine."""
    MEASURED = "measured on GPU"
    """It served requests on the GPU itself."""


class Evidence(StrictModel):
    """How far a recipe has been tried on one GPU, and what stands behind it."""

    accelerator: str
    """Name of the accelerator, a key of hardware.ACCELERATORS."""
    level: Level
    reason: str


class Correction(StrictModel):
    """One published value that was changed or is guarded, and why."""

    id: Annotated[str, Field(pattern=r"^[A-Z][0-9]+$")]
    setting: str
    published: str
    ours: str
    why: str
    source: str


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


class Recipe(StrictModel):
    """A published way to serve a model, with every correction on record.

    Raises:
        pydantic.ValidationError: unknown keys or wrong types. What reads a recipe's file refuses parts that
            contradict each other too (recipes.consistency).

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
            workers = tuple(each for each in self.workers for _ in range(each.workers_per_pod))
            pods.append(PodRecipe(self.one_pod, "worker", workers[0].replicas, workers))
        return tuple(pods)

    def engine_of(self, role: WorkerRole) -> Options:
        """Return the engine options of what does a role's work; a worker does that of prefill and decode.

        Raises:
            StopIteration: prefill and decode are workers of their own, and the role is `worker`.

        """
        return next(worker.options for worker in self.workers if worker.role in {role, "worker"})

    @property
    def longest_prompt(self) -> int:
        """Tokens of the longest prompt that is answered; the engine refuses a longer one."""
        accepted = self.engine_of("prefill").longest_prompt(self.model.shape.max_positions)
        return min(accepted, self.longest_sequence - 1)

    @property
    def longest_sequence(self) -> int:
        """Tokens of a prompt and its answer together."""
        return self.engine_of("decode").effective_max_seq_len(self.model.shape.max_positions)

    @property
    def gpus(self) -> int:
        """GPUs of all workers together."""
        return sum(worker.gpus * worker.workers for worker in self.workers)

    def on_line(self, line: str) -> "Recipe":
        """Return the recipe with the image that it runs on a line of the platform that it names.

        Options, words and variables that differ between lines are rendered by the image's version.
        """
        runtime = self.runtime.model_copy(update={"version": self.runtime.version_on(line)})
        return self.model_copy(update={"runtime": runtime})

    def with_replicas(self, replicas: Mapping[str, int]) -> "Recipe":
        """Return the recipe with other numbers of replicas, by service name; what is not named stays."""
        numbers = {
            process.service_name: replicas.get(pod.name, pod.replicas)
            for pod in self.pods
            for process in pod.processes
        }
        services = tuple(
            service.model_copy(update={"replicas": numbers[service.service_name]})
            for service in self.services
        )
        return self.model_copy(update={"services": services})

    def with_workers_per_pod(self, workers: Mapping[WorkerRole, int]) -> "Recipe":
        """Return the recipe, of which one pod runs several workers, with other numbers of them by role."""
        services = tuple(
            service
            if service.engine is None
            else service.model_copy(
                update={"workers_per_pod": workers.get(service.worker_role, service.workers_per_pod)}
            )
            for service in self.services
        )
        return self.model_copy(update={"services": services})

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of KV cache that one token takes, on all GPUs of a worker together."""
        return round(kv_bytes(self.model.shape, 1, KV_VALUE_BYTES[self.engine_of("prefill").kv_dtype]))

    @property
    def running_requests(self) -> int:
        """Requests that all engines together run at once; more wait in a queue."""
        return sum(
            worker.options.concurrent_requests * worker.workers
            for worker in self.workers
            if worker.role != "prefill"
        )

    @property
    def benchmark_concurrency(self) -> int:
        """Requests that the benchmark keeps open, never more than the engines run at once.

        More would wait in a queue, and the benchmark would measure the queue.
        """
        return min(self.benchmark.requests_at_a_time(self.gpus), self.running_requests)

    @property
    def draft_models(self) -> tuple[PinnedModel, ...]:
        """The draft models that its workers name, which the cache has to hold as well."""
        named = {worker.options.draft_model for worker in self.workers}
        return tuple(draft for draft in self.model.draft_models if draft.repository in named)

    @property
    def download_bytes(self) -> int:
        """Bytes of everything that the cache has to hold."""
        return self.model.size_bytes + sum(draft.size_bytes for draft in self.draft_models)

    def evidence_on(self, accelerator: str) -> Evidence:
        """Return how far this project has tried the recipe on the GPU."""
        for entry in self.evidence:
            if entry.accelerator == accelerator:
                return entry
        reason = "nothing but this rendering has been tried on this GPU"
        if accelerator not in self.validated_on:
            reason = f"not validated upstream; {reason}"
        return Evidence(accelerator=accelerator, level=Level.RENDERED, reason=reason)
