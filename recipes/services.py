"""The services of a recipe: what each runs, on which GPUs, and which of them share a pod."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from pydantic import Field, ValidationError, model_validator

from engines.engine import WorkerRole
from engines.registry import Options
from recipes.strict_model import PositiveInt, StrictModel

Role = Literal["frontend", "prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""


class FrontendResources(StrictModel):
    """Processor time and memory of one frontend pod."""

    cpu_request: PositiveInt
    cpu_limit: PositiveInt
    memory: Annotated[str, Field(pattern=r"^[1-9][0-9]*Gi$")]
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

    @property
    def options(self) -> Options:
        """Engine options of a worker.

        Raises:
            ValueError: the service is a frontend.

        """
        if self.engine is None:
            raise ValueError(f"{self.service_name} is a frontend, not a worker")
        return self.engine

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

    name: str
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
    def image_version(self) -> str | None:
        """Tag of the image in place of the recipe's; all processes of a container have one image."""
        return self.processes[0].image_version

    @property
    def roles(self) -> tuple[Role, ...]:
        """What its processes do: prefill and decode where one pod runs both."""
        return tuple(process.role for process in self.processes)


def with_options(service: ServiceRecipe, over: Mapping[str, Any]) -> ServiceRecipe:
    """Return the worker with the options merged into its own; its GPUs follow from its parallelism.

    A block such as kv_cache_config is merged key by key too, so that naming one of its options leaves the
    others as they are. An explicit null takes the worker's value away; the engine's default holds then.

    Raises:
        ValueError: a frontend has no engine.
        pydantic.ValidationError: options that the engine refuses.

    """
    merged = _merged(service.options.model_dump(exclude_unset=True), over)
    engine = type(service.options).model_validate(merged)
    return service.model_copy(update={"engine": engine, "gpus": engine.gpus})


def dotted_options(options: Mapping[str, object], block: str = "") -> Iterator[tuple[str, object]]:
    """Yield each option with its value; one within a block as block.option."""
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from dotted_options(cast("Mapping[str, object]", value), f"{block}{name}.")
        else:
            yield f"{block}{name}", value


def option_messages(error: ValidationError) -> tuple[str, ...]:
    """Return a sentence for each option that the engine refuses."""
    messages: list[str] = []
    for details in error.errors(include_url=False):
        place = ".".join(str(part) for part in details["loc"])
        text = details["msg"].removeprefix("Value error, ")
        if details["input"] is None:
            text = "null takes the recipe's value away, and the engine needs one; leave the option out"
        # A sentence of ours names its option; one of pydantic's does not.
        messages.append(text if details["type"] == "value_error" else f"{place}: {text}")
    return tuple(messages)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        present = merged.get(key)
        if isinstance(present, Mapping) and isinstance(value, Mapping):
            merged[key] = _merged(cast("Mapping[str, Any]", present), cast("Mapping[str, Any]", value))
        else:
            merged[key] = value
    return merged
