"""Pods that claim a compute domain's channel need a node each."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.nodes.channel_claims import claiming_pods, read_channel_claims
from rules.reading.nodes.placements import read_placement
from rules.reading.pods.workers import Worker, check_workers


@dataclass(slots=True)
class _Pool:
    """What claims channels in one pool."""

    nodes: int
    instance_type: str
    workers: list[tuple[Worker, int]] = field(default_factory=list[tuple[Worker, int]])
    """Each with its number of pods."""

    @property
    def pods(self) -> int:
        return sum(pods for _, pods in self.workers)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    pools: dict[str, _Pool] = {}
    yield from check_workers(graph, lambda worker: _collect(graph, worker, pools))
    for name, pool in pools.items():
        if pool.pods <= pool.nodes:
            continue
        worker, _ = pool.workers[-1]
        counted = " + ".join(f"{pods} of {each.name}" for each, pods in pool.workers)
        yield failed(
            worker.resource,
            ", ".join(each.name for each, _ in pool.workers),
            f"{pool.pods} pods ({counted}) each claim a compute domain's channel, of which a node has one, "
            f"but pool {name} has {pool.nodes} node{'s' if pool.nodes > 1 else ''} of "
            f"{pool.instance_type}",
        )


def _collect(graph: ResourceGraph, worker: Worker, pools: dict[str, _Pool]) -> Iterator[Observation]:
    if not read_channel_claims(graph, worker).by_pod:
        return
    placement = read_placement(graph, worker)
    pool = pools.setdefault(placement.pool, _Pool(placement.nodes, placement.instance_type.name))
    if all(each.pod is not worker.pod for each, _ in pool.workers):
        pool.workers.append((worker, claiming_pods(worker)))
    yield from ()


RULE = Rule(
    id="one-claim-per-tray",
    title="Pods that claim a compute domain's channel need a node each",
    severity=Severity.MANDATORY,
    reason=(
        "The DRA driver offers channel-0 alone on each node and prepares it for one claim; the next pod that "
        "claims one there stays Pending, however many GPUs are free."
    ),
    source="kubernetes-sigs/dra-driver-nvidia-gpu#353",
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "Lower the replicas of the claiming workers, add nodes to the pool, or serve without a compute "
        "domain."
    ),
    check=_check,
)
