"""The nodes that the workers of a graph can use, pool by pool, with what the KV transport demands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hardware import KvPath
from stacks.plan.placement.assignment import Assigned
from stacks.plan.placement.kv_transport import TransportChoice
from stacks.plan.placement.packing import Packing, Room, WorkerSet, pack
from stacks.plan.placement.pools import Pool


@dataclass(frozen=True, slots=True)
class PoolRoom:
    """One pool, and the workers that share it."""

    pool: Pool
    room: Room
    assigned: tuple[Assigned, ...]
    one_nvlink_domain: bool
    """All of them must be in one NVLink domain; the room is no larger."""

    def workers(self, replicas: Mapping[str, int]) -> list[WorkerSet]:
        """Return the workers in these numbers."""
        return [
            WorkerSet(one.worker.service_name, one.worker.gpus, replicas[one.worker.service_name])
            for one in self.assigned
        ]

    def packed(self, replicas: Mapping[str, int]) -> Packing | None:
        """Return how full the pool is with so many workers; None when they do not fit."""
        return pack(self.workers(replicas), self.room)


def pool_rooms(assigned: Sequence[Assigned], choice: TransportChoice | None) -> tuple[PoolRoom, ...]:
    """Return the pools that the workers use."""
    pools = {one.pool.name: one.pool for one in assigned}
    return tuple(
        PoolRoom(
            pool,
            _room(pool, choice.paths[name] if choice else None),
            tuple(one for one in assigned if one.pool.name == name),
            one_nvlink_domain=choice is not None and choice.paths[name].same_clique,
        )
        for name, pool in pools.items()
    )


def _room(pool: Pool, path: KvPath | None) -> Room:
    gpus = pool.instance_type.gpus
    if path is None:
        return Room(pool.nodes, gpus)
    return Room(
        nodes=pool.domain_nodes if path.same_clique else pool.nodes,
        gpus_per_node=gpus,
        one_pod_per_node=path.one_pod_per_node,
        different_nodes=path.different_nodes,
    )
