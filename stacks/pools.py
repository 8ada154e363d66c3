"""Node pools: from what was typed to hardware that is known."""

from collections import Counter
from dataclasses import dataclass

from hardware import INSTANCE_TYPES, InstanceType
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.settings import NodePoolSettings
from stacks.wording import in_words


@dataclass(frozen=True, slots=True)
class Pool:
    """A node pool whose instance type is known."""

    name: str
    instance_type: InstanceType
    nodes: int

    @property
    def gpus(self) -> int:
        """GPUs of all its nodes."""
        return self.nodes * self.instance_type.gpus

    def __str__(self) -> str:
        return f"pool {self.name} ({self.nodes} x {self.instance_type.name}, {in_words(self.gpus, 'GPU')})"


def known_pools(
    settings: tuple[NodePoolSettings, ...], source: str
) -> tuple[dict[str, Pool], tuple[Problem, ...]]:
    """Return the pools by name, and what is wrong with the others."""
    pools: dict[str, Pool] = {}
    problems: list[Problem] = []
    for index, pool in enumerate(settings):
        instance_type = INSTANCE_TYPES.get(pool.instance_type)
        if instance_type is None:
            problems.append(_unknown_instance_type(pool.instance_type, index, source))
        elif pool.name in pools:
            problems.append(
                Problem(source, f"nodePools[{index}].name", pool.name, "two pools have this name")
            )
        else:
            pools[pool.name] = Pool(pool.name, instance_type, pool.nodes)
    return pools, (*problems, *_indistinguishable(pools, source))


def _unknown_instance_type(typed: str, index: int, source: str) -> Problem:
    return Problem(
        source,
        f"nodePools[{index}].instanceType",
        typed,
        "not an instance type whose GPUs are known here",
        allowed=", ".join(INSTANCE_TYPES),
        suggestion=nearest(typed, INSTANCE_TYPES),
    )


def _indistinguishable(pools: dict[str, Pool], source: str) -> list[Problem]:
    # Pods find a pool by its nodes' GPU product and architecture. Two pools of one kind are one pool to
    # the scheduler, so counting them apart would promise room that another worker may take.
    kinds = Counter(pool.instance_type.name for pool in pools.values())
    return [
        Problem(
            source,
            "nodePools",
            ", ".join(pool.name for pool in pools.values() if pool.instance_type.name == kind),
            f"pools of the same instance type {kind} cannot be told apart by the scheduler",
            suggestion="make them one pool and add up its nodes",
        )
        for kind, count in kinds.items()
        if count > 1
    ]
