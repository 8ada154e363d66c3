"""A stack with every decision made: plain data that the program registers and `explain` prints.

Only stacks/plan/resolve.py makes one of these from settings.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from recipes.placed import PlacedRecipe, PlacedService
from stacks.plan.cache_plan import CachePlan, ExistingVolume
from stacks.plan.infrastructure.eks_plan import EksPlan, PlannedNodes
from stacks.plan.infrastructure.prices import PricedPool, published_price
from stacks.plan.layers.layering import Layering
from stacks.plan.placement.capacity import PlacedPool
from stacks.plan.platform.platform_plan import PlatformPlan
from stacks.plan.timeouts import Load
from stacks.settings.cluster import CapacityBlock, Phase
from stacks.settings.stack import StackSettings


@dataclass(frozen=True, slots=True)
class RetainedObject:
    """An object that `pulumi destroy` leaves, in the cluster or in the account."""

    kind: str
    name: str
    namespace: str | None
    """Namespace of the object; None for an object of the whole cluster, or of the account."""
    reason: str


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """The graph that serves the model."""

    namespace_exists: bool
    """Others made its namespace."""
    placed: PlacedRecipe
    pod_monitor_labels: Mapping[str, str] | None
    """None: no PodMonitor."""
    has_alerts: bool
    """Whether Prometheus and Grafana come with the cluster, and a graph of Dynamo's is what they watch."""
    load: Load
    """What a new worker does before it serves, and for how long."""
    ready_timeout_seconds: int

    @property
    def namespace(self) -> str:
        """The namespace of the graph, its cache and its token."""
        return self.placed.namespace

    @property
    def graph_name(self) -> str:
        """The name of the DynamoGraphDeployment; the frontend's Service is `<graph name>-frontend`."""
        return self.placed.graph_name


@dataclass(frozen=True, slots=True)
class StackPlan:
    """Everything the program needs: the settings, and what is decided beside them."""

    name: str
    source: str
    """The file that the settings came from, for messages."""
    settings: StackSettings
    layers: Layering
    """Where another stack owns the platform, `platform` is an existing one."""
    pools: tuple[PlacedPool, ...]
    platform: PlatformPlan | None
    """None where the recipe is served without Dynamo."""
    cache: CachePlan
    serving: ServingPlan
    eks: EksPlan | None
    """Plan of a cluster of this project, this stack's own or another's; None for one that exists."""
    retained: tuple[RetainedObject, ...] = ()
    """What `pulumi destroy` leaves, complete."""

    @property
    def infrastructure(self) -> EksPlan | None:
        """Plan of the cluster; None for a cluster that exists, or that another stack makes."""
        return self.eks if self.layers.owns("infrastructure") else None

    @property
    def used_accelerators(self) -> tuple[str, ...]:
        """Names of the kinds of GPU that its workers use."""
        return tuple(sorted({each.pool.instance_type.accelerator.name for each in self.used_pools}))

    @property
    def used_pools(self) -> tuple[PlacedPool, ...]:
        """The pools that its workers run in."""
        return tuple(placed for placed in self.pools if placed.used_gpus)

    def workers_in(self, placed: PlacedPool) -> tuple[PlacedService, ...]:
        """Return the workers that run in the pool."""
        workers = self.serving.placed.workers
        return tuple(each for each in workers if each.placement and each.placement.pool == placed.pool.name)

    @property
    def gpu_nodes(self) -> tuple[PlannedNodes, ...]:
        """Node groups on EKS, of this stack or of the one below it."""
        return self.eks.gpu_nodes if self.eks else ()

    def priced_pools(self) -> Iterator[PricedPool]:
        """Yield each pool, how its nodes are bought and what its GPUs cost."""
        bought = {nodes.pool.name: nodes.purchase for nodes in self.gpu_nodes}
        for placed in self.pools:
            purchase = bought.get(placed.pool.name)
            yield placed, purchase, published_price(placed.pool.instance_type, purchase)

    @property
    def creates_namespace(self) -> bool:
        """Whether this stack creates the serving namespace.

        An existing volume has its namespace already, and `destroy` would remove the volume with it.
        """
        return not (isinstance(self.cache, ExistingVolume) or self.serving.namespace_exists)


def waited_for(stack: StackPlan) -> tuple[PlannedNodes, ...]:
    """Return the node groups that the graph needs and that have no node yet; the graph comes after them."""
    if not stack.layers.owns("serving"):
        return ()
    used = {placed.pool.name for placed in stack.used_pools}
    return tuple(nodes for nodes in stack.gpu_nodes if nodes.pool.name in used and nodes.phase != "active")


def in_phase(stack: StackPlan, phase: Phase) -> StackPlan:
    """Return the stack with every Capacity Block in this phase."""
    if stack.eks is None:
        return stack
    gpu_nodes = tuple(
        replace(nodes, purchase=nodes.purchase.model_copy(update={"phase": phase}))
        if isinstance(nodes.purchase, CapacityBlock)
        else nodes
        for nodes in stack.eks.gpu_nodes
    )
    return replace(stack, eks=replace(stack.eks, gpu_nodes=gpu_nodes))
