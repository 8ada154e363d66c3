"""Node pools as known hardware, and which of them each worker of a recipe runs in."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from hardware import InstanceType
from recipes.model import Recipe
from recipes.placed import PodResources
from recipes.services import FrontendResources, PodRecipe
from resource_graph.printable import dotted
from stacks.errors import Problem, unknown_name
from stacks.plan.placement.nodes import ARCHITECTURE_LABEL, PRODUCT_LABEL, node_of
from stacks.plan.volume_sizes import size_in_gib
from stacks.settings.services import PodResourceSettings
from stacks.settings.stack import NodePoolSettings, RdmaSettings, ServingSettings, TaintSettings
from stacks.wording import in_words

WORKERS_SHARE = 0.9
"""Part of a node that its workers divide among them.

The rest is for the reserve of kubelet and system, below 2 % on nodes of this size (awslabs/amazon-eks-ami
nodeadm/internal/kubelet/config.go), and for the daemon sets of network, storage, GPU operator, DRA driver and
monitoring, whose requests nobody here knows. A worker that asked for all that is left would stay Pending on a
node with one daemon set more.
"""


@dataclass(frozen=True, slots=True)
class Pool:
    """A node pool whose nodes are known."""

    name: str
    instance_type: InstanceType
    nodes: int
    nvlink_domain_gpus: int
    """GPUs of one NVLink domain; those of a node where NVLink ends at the node."""
    labels: Mapping[str, str]
    rdma: RdmaSettings | None
    gpu_labels: Mapping[str, str]
    """Labels that find its GPUs instead of nvidia.com/gpu.product; empty: that one does."""
    taints: tuple[TaintSettings, ...] | None
    """Taints of its nodes; None where nobody says which they have."""
    zone: str | None
    """Availability zone of its nodes; None where nobody says."""

    @property
    def gpus(self) -> int:
        """GPUs of all its nodes."""
        return self.nodes * self.instance_type.gpus

    @property
    def domain_nodes(self) -> int:
        """Nodes of the pool that can be in one NVLink domain."""
        return min(self.nodes, self.nvlink_domain_gpus // self.instance_type.gpus)

    @property
    def type_labels(self) -> dict[str, str]:
        """The labels that all nodes of this kind have."""
        by_product = {PRODUCT_LABEL: self.instance_type.accelerator.product_label}
        return {
            **(self.gpu_labels or by_product),
            # The image exists for both architectures, so only this keeps a pod off the other one.
            ARCHITECTURE_LABEL: self.instance_type.cpu_architecture,
        }

    @property
    def node_selector(self) -> dict[str, str]:
        """The labels that its nodes have and no other pool's."""
        return {**self.type_labels, **self.labels}

    def __str__(self) -> str:
        return f"pool {self.name} ({self.nodes} x {self.instance_type.name}, {in_words(self.gpus, 'GPU')})"


@dataclass(frozen=True, slots=True)
class Assigned:
    """A worker service, the pool it runs in and what it asks for there."""

    worker: PodRecipe
    pool: Pool
    key: str
    """The setting that names the pool."""
    wanted: PodResourceSettings
    """What the settings give it."""

    @property
    def name(self) -> str:
        """The service's name in the graph."""
        return self.worker.name

    @property
    def resources(self) -> PodResources:
        """What the settings give it; else its share of its node.

        A share is as much for each GPU as for any other, in whole units.
        """
        wanted, node = self.wanted, self.pool.instance_type
        share = WORKERS_SHARE * self.worker.gpus / node.gpus
        cpus = wanted.cpu or int(node.vcpus * share)
        memory = size_in_gib(wanted.memory) if wanted.memory else int(node.memory_gib * share)
        return PodResources(cpu_request=cpus, cpu_limit=cpus, memory_gib=memory)

    @property
    def occupied_gpus(self) -> int:
        """GPUs that no other worker can use beside it."""
        return occupied_gpus(self.worker.gpus, self.resources, self.pool.instance_type)


def occupied_gpus(gpus: int, resources: PodResources | FrontendResources, node: InstanceType) -> int:
    """Return how many GPUs no other worker can use beside this one: its own, or those whose share it takes.

    Workers that fit by this number fit by GPUs, processor time and memory alike.
    """
    of_cpus, of_memory = (
        math.ceil(round(node.gpus * asked / (WORKERS_SHARE * offered), 6))
        for asked, offered in ((resources.cpu_request, node.vcpus), (resources.memory_gib, node.memory_gib))
    )
    return max(gpus, of_cpus, of_memory)


def may_share_nodes(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether a node may have the labels of both selectors."""
    return all(one[label] == other[label] for label in one.keys() & other.keys())


def in_labels(selector: Mapping[str, str]) -> str:
    """Return a node selector as people write it."""
    return ", ".join(f"{label}={value}" for label, value in selector.items())


def known_pools(settings: tuple[NodePoolSettings, ...]) -> tuple[dict[str, Pool], tuple[Problem, ...]]:
    """Return the pools by name, and what is wrong with the others."""
    pools: dict[str, Pool] = {}
    problems: list[Problem] = []
    for index, wanted in enumerate(settings):
        key = f"nodePools[{index}]"
        instance_type, node_problems = node_of(wanted, key)
        problems += node_problems
        if instance_type is None:
            continue
        if wanted.name in pools:
            problems.append(Problem(f"{key}.name", wanted.name, "two pools have this name"))
            continue
        pool = Pool(
            wanted.name,
            instance_type,
            wanted.nodes,
            wanted.nvlink_domain_gpus or min(instance_type.nvlink_domain_gpus),
            dict(wanted.labels),
            wanted.rdma,
            gpu_labels=dict(wanted.node.labels) if wanted.node else {},
            taints=wanted.node.taints if wanted.node else None,
            zone=wanted.zone,
        )
        problems += (*_wrong_domain(pool, key), *_contradicting_labels(pool, key))
        pools[wanted.name] = pool
    return pools, (*problems, *_indistinguishable(pools))


def assign_pools(
    recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool]
) -> tuple[tuple[Assigned, ...], tuple[Problem, ...]]:
    """Return every worker with its pool, or why one has none that can run it."""
    problems = tuple(_wrongly_split(recipe, serving, pools))
    if problems:
        return (), problems
    assigned: list[Assigned] = []
    unknown: dict[str, Problem] = {}
    sizes: Mapping[str, PodResourceSettings | None] = dict(serving.resources)
    for worker in (pod for pod in recipe.pods if pod.gpus):
        key, name = _pool_setting(worker, serving)
        if name in pools:
            assigned.append(Assigned(worker, pools[name], key, sizes[worker.role] or PodResourceSettings()))
        else:
            unknown[key] = unknown_name(key, name, "no node pool has this name", pools)
    found = (*unknown.values(), *(problem for one in assigned for problem in _unfit(recipe, one)))
    return (() if found else tuple(assigned)), found


def _wrong_domain(pool: Pool, key: str) -> Iterator[Problem]:
    sizes = pool.instance_type.nvlink_domain_gpus
    if pool.nvlink_domain_gpus not in sizes:
        message = f"{pool.instance_type.name} has no NVLink domain of that many GPUs"
        allowed = " or ".join(str(size) for size in sizes)
        yield Problem(f"{key}.nvlinkDomainGpus", pool.nvlink_domain_gpus, message, allowed=allowed)


def _contradicting_labels(pool: Pool, key: str) -> Iterator[Problem]:
    for label, value in pool.type_labels.items():
        if pool.labels.get(label, value) != value:
            message = f"nodes of {pool.instance_type.name} carry {label}={value}"
            suggestion = "leave this label out: it follows from what the nodes are"
            place = f"{key}.{dotted(('labels', label))}"
            yield Problem(place, pool.labels[label], message, suggestion=suggestion)


def _indistinguishable(pools: Mapping[str, Pool]) -> Iterator[Problem]:
    # Pods find a pool by its nodes' labels. Two pools with the same ones are one pool to the scheduler, so
    # counting them apart would promise room that another worker may take.
    for one, other in combinations(pools.values(), 2):
        if not may_share_nodes(one.node_selector, other.node_selector):
            continue
        if one.instance_type.accelerator is not other.instance_type.accelerator:
            # Whatever labels find them: no node has GPUs of two models.
            continue
        selectors = in_labels(one.node_selector)
        if other.node_selector != one.node_selector:
            selectors += f" and {in_labels(other.node_selector)}"
        yield Problem(
            "nodePools",
            f"{one.name}, {other.name}",
            f"the scheduler cannot tell these pools apart: nodes of both are found by {selectors}",
            suggestion="make them one pool and add up its nodes, or give both a node label with different "
            "values in `labels`",
        )


def _wrongly_split(recipe: Recipe, serving: ServingSettings, pools: Mapping[str, Pool]) -> Iterator[Problem]:
    names = ", ".join(pools)
    if recipe.is_disaggregated and recipe.one_pod is None:
        if (serving.pool is None) == (serving.pools is None):
            message = "name one pool for all workers with `pool`, or one for each role with `pools`; not both"
            yield Problem("serving.pool", serving.pool, message, allowed=names)
    elif serving.pools is not None:
        message = (
            f"{recipe.name} runs prefill and decode in one pod"
            if recipe.one_pod
            else f"{recipe.name} has no prefill and decode workers: its KV cache never leaves the worker"
        )
        yield Problem("serving.pools", None, message, suggestion="name one pool with `pool`")
    elif serving.pool is None:
        yield Problem("serving.pool", None, "name the pool that the workers run in", allowed=names)


def _pool_setting(worker: PodRecipe, serving: ServingSettings) -> tuple[str, str]:
    if serving.pools is None:
        return "serving.pool", serving.pool or ""
    name = serving.pools.prefill if worker.role == "prefill" else serving.pools.decode
    return f"serving.pools.{worker.role}", name


def _unfit(recipe: Recipe, assigned: Assigned) -> Iterator[Problem]:
    worker, pool = assigned.worker, assigned.pool
    accelerator = pool.instance_type.accelerator
    families = recipe.quantization.architecture_families
    if accelerator.architecture_family not in families:
        needed = recipe.quantization.algorithm or f"what {recipe.name} asks of the engine"
        message = (
            f"{worker.name} uses {needed}, which {accelerator.name} "
            f"({accelerator.architecture_family}) has no kernels for"
        )
        allowed = f"a pool of {' or '.join(family.capitalize() for family in families)} GPUs"
        yield Problem(assigned.key, pool.name, message, allowed=allowed)
    if worker.gpus > pool.instance_type.gpus:
        wanted = in_words(worker.gpus, "GPU")
        message = f"{worker.name} needs {wanted} on one node; a node of {pool} has {pool.instance_type.gpus}"
        allowed = f"a pool whose nodes have {wanted} or more"
        apart = "a recipe whose prefill and decode workers have pods of their own"
        suggestion = apart if len(worker.processes) > 1 else None
        yield Problem(assigned.key, pool.name, message, allowed=allowed, suggestion=suggestion)
