"""Prefill and decode as processes of one container: the GPUs and the port of each, and who starts them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recipes.services import PodRecipe, ServiceRecipe

MAIN_CONTAINER = "main"
"""The operator adds its probes, ports and variables to the container of this name."""
SUPERVISOR_FILE = "supervisor.py"
SYSTEM_PORT = 9090
"""Port of the supervisor: the operator's probes ask there, whatever runs behind it."""

_SCRIPT = Path(__file__).with_name("supervisor_script.py")


@dataclass(frozen=True, slots=True)
class Process:
    """One worker of a pod that runs several."""

    recipe: ServiceRecipe
    index: int
    """Its number among the processes of the pod, from 0."""
    number: int
    """Its number among those of its role, from 1."""
    gpus: range
    """Its own GPUs, as the container numbers them."""
    all_gpus: int
    """GPUs of the container."""

    @property
    def name(self) -> str:
        """prefill or decode, from the second one on with its number: prefill-2."""
        return self.recipe.role if self.number == 1 else f"{self.recipe.role}-{self.number}"

    @property
    def registered_as(self) -> str:
        """Name of the container under which it registers, which no other process of the pod has.

        Workers that are discovered by Kubernetes write one object a pod, under its name, and the second
        process of a pod would overwrite the first's. In the runtime's container mode each writes one for the
        container that it names, and counts while that container is ready (ai-dynamo/dynamo docs
        service-discovery.md; PyPI packages ai-dynamo 1.2.1 and 1.4.2 have the mode). So one process takes the
        main container's name, and each other that of a container which does nothing but ask it whether it is
        ready.
        """
        return MAIN_CONTAINER if self.name == "decode" else self.name

    @property
    def system_port(self) -> int:
        """Port of its /live, /health and /metrics."""
        return SYSTEM_PORT + 1 + self.index

    @property
    def visible_gpus(self) -> str:
        """What CUDA shows it: its own GPUs first, of which the engine takes as many as it has ranks.

        The others come after them, because a process can open memory only of a GPU that it sees.
        """
        others = [gpu for gpu in range(self.all_gpus) if gpu not in self.gpus]
        return ",".join(str(gpu) for gpu in (*self.gpus, *others))


def processes_of(pod: PodRecipe) -> tuple[Process, ...]:
    """Return the workers of the pod, each with GPUs of its own."""
    found: list[Process] = []
    first = 0
    for index, recipe in enumerate(pod.processes):
        number = 1 + sum(each.recipe.role == recipe.role for each in found)
        found.append(Process(recipe, index, number, range(first, first + recipe.gpus), pod.gpus))
        first += recipe.gpus
    return tuple(found)


@cache
def supervisor_script() -> str:
    """Return the text of the program that starts them."""
    return _SCRIPT.read_text(encoding="utf-8")
