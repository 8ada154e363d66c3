"""How a graph's frontend chooses a worker, and which workers it chooses from."""

from collections.abc import Iterator
from dataclasses import dataclass

from resource_graph import ResourceGraph
from rules.reading.pods.frontends import Frontend, read_frontends
from rules.reading.pods.pods import GRAPH_KIND, Unreadable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import Undecided

_MODE_FLAG = "--router-mode"
_MODE_VARIABLE = "DYN_ROUTER_MODE"


@dataclass(frozen=True, slots=True)
class Router:
    """A frontend of a Dynamo graph and the graph's workers."""

    frontend: Frontend
    workers: tuple[Worker, ...]

    def mode(self) -> str:
        """round-robin where nobody says.

        Raises:
            Undecided: it is unknown.
        """
        given = self.frontend.flags.value(_MODE_FLAG)
        word = self.frontend.command.environment.get(_MODE_VARIABLE)
        if given is not None or word is None:
            return given or "round-robin"
        if not word.known:
            raise Undecided(f"the value of the variable {_MODE_VARIABLE} is unknown")
        return word.text


def read_routers(graph: ResourceGraph) -> Iterator[Router]:
    """Every frontend of a Dynamo graph."""
    workers: dict[str, list[Worker]] = {}
    for worker in read_workers(graph):
        if not isinstance(worker, Unreadable) and worker.resource.kind == GRAPH_KIND:
            workers.setdefault(worker.resource.urn, []).append(worker)
    for frontend in read_frontends(graph):
        if isinstance(frontend, Frontend) and frontend.resource.kind == GRAPH_KIND:
            yield Router(frontend, tuple(workers.get(frontend.resource.urn, ())))
