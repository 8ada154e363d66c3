"""How KV-cache blocks travel from prefill to decode workers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from hardware import KV_TRANSPORTS, KvPath, KvTransportName, Standing, kv_path
from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.placement.assignment import Assigned
from stacks.plan.placement.pools import Pool
from stacks.plan.placement.transport_capacity import ceiling, demands, rate, request_bytes
from stacks.plan.stack_plan import KvTransport
from stacks.settings.stack import ServingSettings

_KEY = "serving.kvTransport"
_WORST_FIRST = (Standing.IMPOSSIBLE, Standing.UNPROVEN, Standing.DOCUMENTED)
EFA_RESOURCE = "vpc.amazonaws.com/efa"


@dataclass(frozen=True, slots=True)
class TransportChoice:
    """The transport of a graph, and what it is in each of its pools."""

    transport: KvTransport
    paths: Mapping[str, KvPath]
    """Pool -> what the transport is and demands there."""

    @property
    def name(self) -> KvTransportName:
        """mnnvl, rdma, efa or tcp."""
        return self.transport.path.transport


def choose_transport(
    recipe: Recipe, serving: ServingSettings, assigned: Sequence[Assigned], source: str
) -> tuple[TransportChoice | None, tuple[Problem, ...]]:
    """Return the transport that was typed, or the fastest that is documented to work on these nodes.

    None without a problem for an aggregated recipe. A transport that the hardware cannot do is refused, and
    one that is merely possible has to be typed: plain TCP is what the engines fall back to in silence, with
    every pod Ready, so it is never chosen for anybody.
    """
    typed = serving.kv_transport
    if not recipe.is_disaggregated:
        if typed is None:
            return None, ()
        message = f"{recipe.name} is aggregated: its KV cache never leaves the worker"
        return None, (Problem(_KEY, typed, message, suggestion="leave kvTransport out"),)
    pools = list({one.pool.name: one.pool for one in assigned}.values())
    judged = {name: _judge(name, recipe, pools) for name in KV_TRANSPORTS}
    if typed is not None:
        path = judged[typed]
        if path.standing is Standing.IMPOSSIBLE:
            return None, (_impossible(path, recipe, judged.values()),)
        return _choice(path, recipe, pools, reason=f"explicit in {source}: {path.reason}", typed=True), ()
    documented = [path for path in judged.values() if path.standing is Standing.DOCUMENTED]
    if not documented:
        return None, (_not_typed(recipe, judged.values()),)
    path = max(documented, key=lambda path: path.gbit_per_second or 0)
    reason = f"the fastest way that is documented between these nodes: {path.reason}"
    return _choice(path, recipe, pools, reason=reason, typed=False), ()


def extended_resources(choice: TransportChoice | None, assigned: Assigned) -> dict[str, str]:
    """Return the network devices of one pod of the worker."""
    pool = assigned.pool
    if choice is None:
        return {}
    if choice.name == "efa":
        return {EFA_RESOURCE: str(pool.instance_type.efa_interfaces_per_pod(assigned.worker.gpus))}
    if choice.name == "rdma" and pool.rdma is not None:
        # One slot of the device plugin hands a pod all adapters of its node.
        return {pool.rdma.resource: "1"}
    return {}


def _judge(name: KvTransportName, recipe: Recipe, pools: Sequence[Pool]) -> KvPath:
    """Return what is known of the transport where it is known least."""
    paths = [_path(name, recipe, pool, one_machine=_one_machine(pools)) for pool in pools]
    worst = min(paths, key=lambda path: (_WORST_FIRST.index(path.standing), path.gbit_per_second or 0))
    between = _between(name, pools)
    if between is None or worst.standing is Standing.IMPOSSIBLE:
        return worst
    return replace(worst, standing=Standing.IMPOSSIBLE, reason=between, gbit_per_second=None)


def _one_machine(pools: Sequence[Pool]) -> bool:
    return len(pools) == 1 and pools[0].nodes == 1


def _path(name: KvTransportName, recipe: Recipe, pool: Pool, *, one_machine: bool) -> KvPath:
    major, minor, patch = (int(part) for part in recipe.runtime.version.split("."))
    return kv_path(
        name,
        pool.instance_type,
        engine=recipe.framework,
        runtime=(major, minor, patch),
        rdma=pool.rdma is not None,
        one_machine=one_machine,
    )


def _between(name: KvTransportName, pools: Sequence[Pool]) -> str | None:
    """Return why the transport does not lead from one of the pools to the other."""
    if len(pools) == 1:
        return None
    if name == "mnnvl":
        return "all workers must be in one NVLink domain, so in one pool: write `pool` instead of `pools`"
    fabrics = {pool.rdma.fabric for pool in pools if pool.rdma is not None}
    if name == "rdma" and len(fabrics) > 1:
        return "one pool is on InfiniBand and the other on RoCE, and nothing leads from one to the other"
    return None


def _choice(
    path: KvPath, recipe: Recipe, pools: Sequence[Pool], *, reason: str, typed: bool
) -> TransportChoice:
    transport = KvTransport(
        path=path,
        typed=typed,
        reason=reason,
        request_bytes=request_bytes(recipe),
        ceiling=ceiling(recipe, path),
        placement=demands(path, domain_nodes=pools[0].domain_nodes, nodes_differ=len(pools) > 1),
    )
    paths = {
        pool.name: _path(path.transport, recipe, pool, one_machine=_one_machine(pools)) for pool in pools
    }
    return TransportChoice(transport, paths)


def _impossible(path: KvPath, recipe: Recipe, judged: Collection[KvPath]) -> Problem:
    possible = _possible(judged)
    documented = next((other for other in possible if other.standing is Standing.DOCUMENTED), None)
    return Problem(
        _KEY,
        path.transport,
        f"impossible here: {path.reason}",
        allowed=_listed(recipe, possible),
        suggestion=f"kvTransport: {documented.transport}" if documented else _aggregated_instead(recipe),
    )


def _not_typed(recipe: Recipe, judged: Collection[KvPath]) -> Problem:
    return Problem(
        _KEY,
        None,
        f"not typed, and no way between these nodes is documented to work with {recipe.framework} in runtime "
        f"{recipe.runtime.version}: a person has to type one and accept what is known of it",
        allowed=_listed(recipe, _possible(judged)),
        suggestion="kvTransport: tcp, if a slow first token is acceptable",
    )


def _possible(judged: Collection[KvPath]) -> list[KvPath]:
    return [path for path in judged if path.standing is not Standing.IMPOSSIBLE]


def _listed(recipe: Recipe, paths: Sequence[KvPath]) -> str:
    """Return the choices, one a line, with what is known of each and what it can carry."""
    lines = [
        f"{path.transport}, {path.standing.value}: {path.reason}; {rate(recipe, path)}" for path in paths
    ]
    return "\n    ".join(["one of", *lines])


def _aggregated_instead(recipe: Recipe) -> str:
    model = recipe.name.partition("/")[0]
    return f"an aggregated recipe of {model} transfers no KV cache"
