"""The pods of a recipe's graph: which of its services run in one container."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.option_types import WorkerRole

if TYPE_CHECKING:
    from recipes.model import FrontendResources, Role, ServiceRecipe


@dataclass(frozen=True, slots=True)
class PodRecipe:
    """One service of the graph, and what the main container of its pods runs."""

    service_name: str
    role: "Role"
    """`worker` where prefill and decode are processes of one container."""
    replicas: int
    processes: "tuple[ServiceRecipe, ...]"
    """More than one share the pod's GPUs, each with some of its own."""

    @property
    def gpus(self) -> int:
        """GPUs of one pod."""
        return sum(process.gpus for process in self.processes)

    @property
    def shared_memory(self) -> str | None:
        """Size of /dev/shm, which all processes share."""
        return self.processes[0].shared_memory

    @property
    def resources(self) -> "FrontendResources | None":
        """Resources of a frontend."""
        return self.processes[0].resources

    @property
    def image_version(self) -> str | None:
        """Tag of the image in place of the recipe's; all processes of a container have one image."""
        return self.processes[0].image_version

    @property
    def worker_roles(self) -> tuple[WorkerRole, ...]:
        """What its workers do with a request; none for a frontend."""
        return tuple(process.worker_role for process in self.processes if process.engine is not None)
