"""Workers that hand their KV cache to others, the transports between them, and how far these are proven."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from engines.registry import ENGINES, Framework
from hardware import InstanceType, KvPath, KvTransportName, Standing, kv_path
from resource_graph import Resource, ResourceGraph, Value
from rules.reading.commands.container_commands import DYNAMO_SGLANG, DYNAMO_VLLM, TENSORRT_LLM, StartCommand
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm
from rules.reading.kv_ways import Ways, read_ways
from rules.reading.placements import read_placement
from rules.reading.pods.pods import GRAPH_KIND, Unreadable, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.releases import runtime_image
from rules.reading.shapes import Undecided, grouped, known, mapping_at, memoized_all

Role = Literal["prefill", "decode", "aggregated"]
MODE_FLAG = "--disaggregation-mode"
MODE_VARIABLES: Mapping[str, str] = {
    TENSORRT_LLM: "DYN_TRTLLM_DISAGGREGATION_MODE",
    DYNAMO_VLLM: "DYN_VLLM_DISAGGREGATION_MODE",
}
_NAMESPACE_VARIABLE = "DYN_NAMESPACE"
_TRANSPORT_INPUT = "kvTransport"
_WORST_FIRST = (Standing.IMPOSSIBLE, Standing.UNPROVEN, Standing.DOCUMENTED)


@dataclass(frozen=True, slots=True)
class Disaggregated:
    """Prefill and decode workers that find each other."""

    resource: Resource
    """The workers' graph; for plain workloads the first prefill worker's resource."""
    prefill: tuple[Worker, ...]
    decode: tuple[Worker, ...]

    @property
    def workers(self) -> tuple[Worker, ...]:
        """Both kinds, prefill first."""
        return (*self.prefill, *self.decode)


@memoized_all
def read_disaggregated(graph: ResourceGraph) -> Iterator[Disaggregated]:
    """Every group of prefill and decode workers in the graph.

    Workers of one Dynamo graph find each other; plain workloads those of their Kubernetes namespace with the
    same DYN_NAMESPACE. A worker whose role cannot be read belongs to none.
    """
    roles = ((known(read_role, each), each) for each in readable(read_workers(graph)))
    groups = grouped((_group(worker), (role, worker)) for role, worker in roles if role is not None)
    for members in groups.values():
        prefill = tuple(worker for role, worker in members if role == "prefill")
        decode = tuple(worker for role, worker in members if role == "decode")
        if prefill and not decode:
            # vLLM decodes for a prefill worker without being told so, by the connector alone.
            decode = tuple(worker for _, worker in members if worker not in prefill and is_vllm(worker))
        if prefill and decode:
            yield Disaggregated(prefill[0].resource, prefill, decode)


def read_role(worker: Worker) -> Role:
    """What the worker does with a request; the command line decides, not the component's type."""
    roles: list[Role] = list(dict.fromkeys(_role_of_engine(command) for command in worker.commands))
    if len(roles) > 1:
        raise Undecided(f"starts engines of several roles in one container: {', '.join(roles)}")
    return roles[0] if roles else _role(worker.template.component_type)


def _role_of_engine(command: StartCommand) -> Role:
    flags = command.flags
    if flags.switch("--is-prefill-worker"):
        return "prefill"
    if flags.switch("--is-decode-worker"):
        return "decode"
    given = (command.given(MODE_FLAG, variable) for variable in MODE_VARIABLES.values())
    mode = next((str(each.value) for each in given if each is not None), None)
    if mode is None and command.engine == DYNAMO_SGLANG and flags.value("--config") is not None:
        raise Undecided("its role may stand in its --config file, which this does not read")
    return _role(mode)


@dataclass(frozen=True, slots=True)
class KvHop:
    """Prefill and decode workers in pods of their own, between which KV cache travels."""

    group: Disaggregated
    ways: tuple[Ways, ...]
    """The transports of all workers, prefill first."""

    @property
    def unknown(self) -> str | None:
        """Why a worker may have a further transport; None where all of them are known."""
        return next((ways.unknown for ways in self.ways if ways.unknown is not None), None)

    @property
    def common(self) -> frozenset[KvTransportName]:
        """The transports that every one of the workers has."""
        first, *others = (frozenset(ways.open) for ways in self.ways)
        return first.intersection(*others)

    def only(self, transport: KvTransportName) -> bool:
        """Whether the transport is the only one that all workers have in common."""
        return transport in self.common and len(self.common) == 1

    def unconnected(self) -> tuple[Ways, Ways] | None:
        """A prefill and a decode worker that have no transport in common; None where each reaches each."""
        # There are few kinds of workers, however many workers there are.
        prefill = len(self.group.prefill)
        senders = {frozenset(ways.open): ways for ways in self.ways[:prefill]}
        receivers = {frozenset(ways.open): ways for ways in self.ways[prefill:]}
        pairs = product(senders.items(), receivers.items())
        apart = ((one, other) for (sending, one), (receiving, other) in pairs if not sending & receiving)
        return next(apart, None)


def component_that_chose(graph: ResourceGraph, resource: Resource) -> Resource | None:
    """The component that says by which way the KV cache travels; a bare manifest has none."""
    return next((above for above in graph.ancestors(resource) if _TRANSPORT_INPUT in above.inputs), None)


def chosen_transport(graph: ResourceGraph, resource: Resource) -> Mapping[str, Value]:
    """What the component above the resource says of the transport; empty where there is no such component."""
    component = component_that_chose(graph, resource)
    return {} if component is None else mapping_at(component.inputs, _TRANSPORT_INPUT)


@memoized_all
def read_hops(graph: ResourceGraph) -> Iterator[KvHop | Unreadable]:
    """Every hop between prefill and decode workers, in the order of their groups."""
    for group in read_disaggregated(graph):
        try:
            template = group.workers[0].template
            if any(each.template is not template for each in group.workers) or template.replicas != 1:
                yield KvHop(group, tuple(read_ways(graph, each) for each in group.workers))
        except Undecided as reason:
            yield Unreadable(group.resource, group.resource.name, str(reason))


def best_path(graph: ResourceGraph, hop: KvHop) -> tuple[KvPath, Worker] | None:
    """The transport of the hop that is proven best, with the worker where it is proven least.

    None where prefill and decode have none in common. Several may be there: UCX chooses among them, so one
    that works is enough.
    """
    if not hop.common and hop.unknown is not None:
        raise Undecided(hop.unknown)
    judged = [
        min(((_path(graph, ways.worker, name), ways.worker) for ways in hop.ways), key=_how_proven)
        for name in sorted(hop.common)
    ]
    return max(judged, key=_how_proven, default=None)


def _role(mode: str | None) -> Role:
    if mode == "prefill" or mode == "decode":  # noqa: PLR1714 - the type checker follows this, not a set
        return mode
    return "aggregated"


def _group(worker: Worker) -> object:
    if worker.resource.kind == GRAPH_KIND:
        return worker.resource.urn
    namespace = worker.environment.get(_NAMESPACE_VARIABLE)
    return (str(worker.resource.namespace), namespace.text if namespace is not None else "")


def _how_proven(found: tuple[KvPath, Worker]) -> int:
    return _WORST_FIRST.index(found[0].standing)


def _path(graph: ResourceGraph, worker: Worker, name: KvTransportName) -> KvPath:
    instance_type = read_placement(graph, worker).instance_type
    return kv_path(
        name,
        instance_type,
        efa=ENGINES[_framework(worker)].efa,
        runtime=_runtime(worker, name, instance_type),
        # Who asks for such a device has nodes that offer it, or a pod that stays Pending for all to see.
        rdma=True,
        # Pods that others wrote may land anywhere, and the standing does not depend on it.
        one_machine=False,
    )


def _framework(worker: Worker) -> Framework:
    if is_tensorrt_llm(worker):
        return "tensorrt-llm"
    if is_vllm(worker):
        return "vllm"
    engine = worker.commands[0].engine if worker.commands else "an engine that is not seen"
    raise Undecided(f"{worker.name} starts {engine}, of whose KV transports nothing is known here")


def _runtime(worker: Worker, name: KvTransportName, instance_type: InstanceType) -> tuple[int, int, int]:
    image = runtime_image(worker)
    if image is not None:
        return image[0]
    if name == "efa" and instance_type.pod_takes_every_efa_interface:
        raise Undecided(f"the image of {worker.name} names no release, on which EFA depends on such nodes")
    # No other transport depends on the release.
    return (0, 0, 0)
