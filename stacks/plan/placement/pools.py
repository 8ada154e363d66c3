"""Node pools: from what was typed to hardware that is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from hardware import INSTANCE_TYPES, InstanceType
from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.settings.stack import NodePoolSettings, RdmaSettings
from stacks.wording import in_words

PRODUCT_LABEL = "nvidia.com/gpu.product"
ARCHITECTURE_LABEL = "kubernetes.io/arch"


@dataclass(frozen=True, slots=True)
class Pool:
    """A node pool whose instance type is known."""

    name: str
    instance_type: InstanceType
    nodes: int
    nvlink_domain_gpus: int
    """GPUs of one NVLink domain; those of a node where NVLink ends at the node."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    rdma: RdmaSettings | None = None

    @property
    def gpus(self) -> int:
        """GPUs of all its nodes."""
        return self.nodes * self.instance_type.gpus

    @property
    def domain_nodes(self) -> int:
        """Nodes of the pool that can be in one NVLink domain."""
        return min(self.nodes, self.nvlink_domain_gpus // self.instance_type.gpus)

    @property
    def node_selector(self) -> dict[str, str]:
        """The labels that its nodes have and no other pool's."""
        return {
            PRODUCT_LABEL: self.instance_type.accelerator.product_label,
            # The image exists for both architectures, so only this keeps a pod off the other one.
            ARCHITECTURE_LABEL: self.instance_type.cpu_architecture,
            **self.labels,
        }

    def __str__(self) -> str:
        return f"pool {self.name} ({self.nodes} x {self.instance_type.name}, {in_words(self.gpus, 'GPU')})"


def known_pools(settings: tuple[NodePoolSettings, ...]) -> tuple[dict[str, Pool], tuple[Problem, ...]]:
    """Return the pools by name, and what is wrong with the others."""
    pools: dict[str, Pool] = {}
    problems: list[Problem] = []
    for index, typed in enumerate(settings):
        key = f"nodePools[{index}]"
        instance_type = INSTANCE_TYPES.get(typed.instance_type)
        if instance_type is None:
            problems.append(_unknown_instance_type(typed.instance_type, key))
            continue
        if typed.name in pools:
            problems.append(Problem(f"{key}.name", typed.name, "two pools have this name"))
            continue
        domain = typed.nvlink_domain_gpus or min(instance_type.nvlink_domain_gpus)
        pool = Pool(typed.name, instance_type, typed.nodes, domain, dict(typed.labels), typed.rdma)
        problems += [*_wrong_domain(pool, key), *_contradicting_labels(pool, key)]
        pools[typed.name] = pool
    return pools, (*problems, *_indistinguishable(pools))


def _unknown_instance_type(typed: str, key: str) -> Problem:
    return Problem(
        f"{key}.instanceType",
        typed,
        "not an instance type whose GPUs are known here",
        allowed=", ".join(INSTANCE_TYPES),
        suggestion=nearest(typed, INSTANCE_TYPES),
    )


def _wrong_domain(pool: Pool, key: str) -> list[Problem]:
    sizes = pool.instance_type.nvlink_domain_gpus
    if pool.nvlink_domain_gpus in sizes:
        return []
    message = f"{pool.instance_type.name} has no NVLink domain of that many GPUs"
    allowed = " or ".join(str(size) for size in sizes)
    return [Problem(f"{key}.nvlinkDomainGpus", pool.nvlink_domain_gpus, message, allowed=allowed)]


def _contradicting_labels(pool: Pool, key: str) -> list[Problem]:
    known = {
        PRODUCT_LABEL: pool.instance_type.accelerator.product_label,
        ARCHITECTURE_LABEL: pool.instance_type.cpu_architecture,
    }
    return [
        Problem(
            f"{key}.labels.{label}",
            pool.labels[label],
            f"nodes of {pool.instance_type.name} carry {label}={value}",
            suggestion="leave this label out: it follows from instanceType",
        )
        for label, value in known.items()
        if pool.labels.get(label, value) != value
    ]


def _indistinguishable(pools: Mapping[str, Pool]) -> list[Problem]:
    # Pods find a pool by its nodes' labels. Two pools with the same ones are one pool to the scheduler, so
    # counting them apart would promise room that another worker may take.
    return [
        Problem(
            "nodePools",
            f"{one.name}, {other.name}",
            f"the scheduler cannot tell these pools apart: nodes of both are found by "
            f"{_shown(one.node_selector)}"
            + (f" and {_shown(other.node_selector)}" if other.node_selector != one.node_selector else ""),
            suggestion="make them one pool and add up its nodes, or give both a node label with different "
            "values in `labels`",
        )
        for one, other in combinations(pools.values(), 2)
        if not _differ(one.node_selector, other.node_selector)
    ]


def _differ(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return any(one[label] != other[label] for label in one.keys() & other.keys())


def _shown(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{label}={value}" for label, value in labels.items())
