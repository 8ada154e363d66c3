"""The services of a recipe: what each runs, on which GPUs, and which of them share a pod."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from engines.option_block import WorkerRole
from engines.registry import Options
from recipes.strict_model import PositiveInt, StrictModel

Role = Literal["frontend", "prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""

GibQuantity = Annotated[str, Field(pattern=r"^[1-9][0-9]*Gi$")]


class FrontendResources(StrictModel):
    """Processor time and memory of one frontend pod."""

    cpu_request: PositiveInt
    cpu_limit: PositiveInt
    memory: GibQuantity
    """Request and limit."""

    @property
    def memory_gib(self) -> int:
        """Memory that a pod asks for, in GiB."""
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
    """Pods."""
    workers_per_pod: PositiveInt = 1
    """Workers that are processes of one pod, of a recipe whose prefill and decode share one (onePod)."""
    gpus: Annotated[int, Field(ge=0)]
    """Of one worker."""
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
    def workers(self) -> int:
        """Workers of all pods."""
        return self.replicas * self.workers_per_pod

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


@dataclass(frozen=True, slots=True)
class PodRecipe:
    """One service of the graph, and what the main container of its pods runs."""

    service_name: str
    role: Role
    """`worker` where prefill and decode are processes of one container."""
    replicas: int
    processes: tuple[ServiceRecipe, ...]
    """More than one share the pod's GPUs, each with some of its own; a service stands there once a worker."""

    @property
    def gpus(self) -> int:
        """GPUs of one pod."""
        return sum(process.gpus for process in self.processes)

    @property
    def shared_memory(self) -> str | None:
        """Size of /dev/shm, which all processes share."""
        return self.processes[0].shared_memory

    @property
    def resources(self) -> FrontendResources | None:
        """Resources of a frontend."""
        return self.processes[0].resources

    @property
    def image_version(self) -> str | None:
        """Tag of the image in place of the recipe's; all processes of a container have one image."""
        return self.processes[0].image_version

    @property
    def worker_roles(self) -> tuple[WorkerRole, ...]:
        """What its workers do with a request, each role once; none for a frontend."""
        return tuple(dict.fromkeys(each.worker_role for each in self.processes if each.engine is not None))
