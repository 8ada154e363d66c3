"""How far the transports of a hop are proven on its nodes."""

from hardware import Engine, InstanceType, KvPath, KvTransportName, Standing, kv_path
from resource_graph import ResourceGraph
from rules.reading.engines.runtime_version import runtime_image
from rules.reading.engines.tensorrt_llm import is_tensorrt_llm
from rules.reading.engines.vllm import is_vllm
from rules.reading.kv_transport.kv_hops import KvHop
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided

_WORST_FIRST = (Standing.IMPOSSIBLE, Standing.UNPROVEN, Standing.DOCUMENTED)


def best_path(graph: ResourceGraph, hop: KvHop) -> tuple[KvPath, Worker] | None:
    """The transport of the hop that is proven best, with the worker where it is proven least.

    None where prefill and decode have none in common. Several may be there: UCX chooses among them, so one
    that works is enough.

    Raises:
        Undecided: nothing says which nodes, which release or which engine it is.
    """
    unknown = next((ways.unknown for ways in hop.ways if ways.unknown is not None), None)
    if not hop.common and unknown is not None:
        raise Undecided(unknown)
    judged = [_worst(graph, hop, name) for name in sorted(hop.common)]
    return max(judged, key=lambda found: _WORST_FIRST.index(found[0].standing), default=None)


def _worst(graph: ResourceGraph, hop: KvHop, name: KvTransportName) -> tuple[KvPath, Worker]:
    paths = [(_path(graph, ways.worker, name), ways.worker) for ways in hop.ways]
    return min(paths, key=lambda found: _WORST_FIRST.index(found[0].standing))


def _path(graph: ResourceGraph, worker: Worker, name: KvTransportName) -> KvPath:
    instance_type = read_placement(graph, worker).instance_type
    return kv_path(
        name,
        instance_type,
        engine=_engine(worker),
        runtime=_runtime(worker, name, instance_type),
        # Who asks for such a device has nodes that offer it, or a pod that stays Pending for all to see.
        rdma=True,
        # Pods that others wrote may land anywhere, and the standing does not depend on it.
        one_machine=False,
    )


def _engine(worker: Worker) -> Engine:
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
    # Nothing else depends on it.
    return (0, 0, 0)
