"""Which workers hand their KV cache to which others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from resource_graph import Resource, ResourceGraph
from rules.reading.engines.settings import is_sglang, is_vllm, read_sglang
from rules.reading.memoized import memoized
from rules.reading.pods.pods import GRAPH_KIND, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.shapes import grouped, known

Role = Literal["prefill", "decode", "aggregated"]
MODE_FLAG = "--disaggregation-mode"
MODE_OF_VLLM = "DYN_VLLM_DISAGGREGATION_MODE"
_MODE_VARIABLES = ("DYN_TRTLLM_DISAGGREGATION_MODE", MODE_OF_VLLM)
_NAMESPACE_VARIABLE = "DYN_NAMESPACE"


@dataclass(frozen=True, slots=True)
class Disaggregated:
    """Prefill and decode workers that find each other."""

    resource: Resource
    """Their graph; for plain workloads the first prefill worker's."""
    name: str
    prefill: tuple[Worker, ...]
    decode: tuple[Worker, ...]

    @property
    def workers(self) -> tuple[Worker, ...]:
        """Both kinds, prefill first."""
        return (*self.prefill, *self.decode)

    @property
    def subject(self) -> str:
        """For findings: the names of all of them."""
        return ", ".join(dict.fromkeys(worker.name for worker in self.workers))


@memoized
def read_disaggregated(graph: ResourceGraph) -> Sequence[Disaggregated]:
    """Every group of prefill and decode workers in the graph.

    Workers of one Dynamo graph find each other; plain workloads those of their Kubernetes namespace with the
    same DYN_NAMESPACE. A worker whose role cannot be read belongs to none.
    """
    roles = ((known(role_with_file, graph, each), each) for each in readable(read_workers(graph)))
    groups = grouped((_group(worker), (role, worker)) for role, worker in roles if role is not None)
    found: list[Disaggregated] = []
    for members in groups.values():
        prefill = tuple(worker for role, worker in members if role == "prefill")
        decode = tuple(worker for role, worker in members if role == "decode")
        if prefill and not decode:
            # vLLM decodes for a prefill worker without being told so, by the connector alone.
            decode = tuple(worker for _, worker in members if worker not in prefill and is_vllm(worker))
        if prefill and decode:
            resource = prefill[0].resource
            found.append(Disaggregated(resource, resource.name, prefill, decode))
    return tuple(found)


def read_role(worker: Worker) -> Role:
    """What the worker does with a request; the command line decides, not the component's type."""
    command = next(iter(worker.commands), None)
    if command is None:
        return _role(worker.template.component_type)
    flags = command.flags
    if flags.switch("--is-prefill-worker"):
        return "prefill"
    if flags.switch("--is-decode-worker"):
        return "decode"
    mode = flags.value(MODE_FLAG)
    for variable in _MODE_VARIABLES:
        word = command.environment.get(variable)
        if mode is None and word is not None:
            mode = word.value(variable)
    return _role(mode)


def role_with_file(graph: ResourceGraph, worker: Worker) -> Role:
    """The worker's role, also where SGLang's `--config` file says it.

    Raises:
        EngineFileProblem: the file cannot be what SGLang needs.
    """
    role = read_role(worker)
    if role != "aggregated" or not is_sglang(worker):
        return role
    mode = read_sglang(graph, worker).at(MODE_FLAG)
    return _role(None if mode is None else str(mode.value))


def _role(mode: str | None) -> Role:
    if mode == "prefill" or mode == "decode":  # noqa: PLR1714 - the type checker follows this, not a set
        return mode
    return "aggregated"


def _group(worker: Worker) -> object:
    if worker.resource.kind == GRAPH_KIND:
        return worker.resource.urn
    namespace = worker.environment.get(_NAMESPACE_VARIABLE)
    return (str(worker.resource.namespace), namespace.text if namespace is not None else "")
