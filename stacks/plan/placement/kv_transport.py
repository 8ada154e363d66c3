"""How KV-cache blocks travel from prefill to decode workers, what that can carry and what it demands."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from engines.release import release_name
from engines.transport_setup import efa_image_tag, kv_profile
from hardware import (
    KV_TRANSPORTS,
    TCP_FLOW_GBIT,
    TCP_GIGABYTES_PER_SECOND,
    KvPath,
    KvTransportName,
    Standing,
    kv_path,
    tcp_range,
    transfer_range,
)
from recipes.model import Recipe
from recipes.placed import KvTransport
from stacks.errors import Problem
from stacks.plan.placement.packing import Room
from stacks.plan.placement.pools import Assigned, Pool
from stacks.settings.stack import ServingSettings

_KEY = "serving.kvTransport"
_EFA_RESOURCE = "vpc.amazonaws.com/efa"
_WORST_FIRST = (Standing.IMPOSSIBLE, Standing.UNPROVEN, Standing.DOCUMENTED)
_CARRIER: dict[KvTransportName, str] = {
    "nvlink": "NVLink of one GPU",
    "mnnvl": "NVLink of one GPU",
    "rdma": "one adapter",
    "efa": "EFA of one GPU",
    "tcp": "the network between machines",
}


def choose_transport(
    recipe: Recipe, serving: ServingSettings, assigned: Sequence[Assigned]
) -> tuple[KvTransport | None, tuple[Problem, ...]]:
    """Return the transport of the settings, or the fastest that is documented to work on these nodes.

    None without a problem for an aggregated recipe. A transport that the hardware cannot do is refused. One
    that is merely possible must be in the settings: engines fall back to plain TCP in silence, with every pod
    Ready, so nobody gets TCP without having asked for it.
    """
    wanted = serving.kv_transport
    if not recipe.is_disaggregated:
        if wanted is None:
            return None, ()
        message = f"{recipe.name} is aggregated: its KV cache never leaves the worker"
        return None, (Problem(_KEY, wanted, message, suggestion="leave kvTransport out"),)
    pools = list({one.pool.name: one.pool for one in assigned}.values())
    judged = {name: _judge(name, recipe, pools) for name in KV_TRANSPORTS}
    if wanted is not None:
        path = judged[wanted]
        if path.standing is Standing.IMPOSSIBLE:
            return None, (_impossible(path, recipe, judged.values()),)
        return _choice(path, recipe, pools, explicit=True), ()
    documented = [path for path in judged.values() if path.standing is Standing.DOCUMENTED]
    if not documented:
        message = (
            f"not typed, and no way between these nodes is documented to work with {recipe.framework} in "
            f"runtime {recipe.runtime.version}: a person has to type one and accept what is known of it"
        )
        suggestion = "kvTransport: tcp, if a slow first token is acceptable"
        allowed = _listed(recipe, judged.values())
        return None, (Problem(_KEY, None, message, allowed=allowed, suggestion=suggestion),)
    path = max(documented, key=lambda path: path.gbit_per_second or 0)
    return _choice(path, recipe, pools, explicit=False), ()


def room_for_workers(pool: Pool, transport: KvTransport | None) -> Room:
    """Return the pool's nodes that the workers can use, and what may share one of them."""
    gpus = pool.instance_type.gpus
    if transport is None:
        return Room(pool.nodes, gpus)
    path = transport.paths[pool.name]
    return Room(
        nodes=pool.domain_nodes if path.same_clique else pool.nodes,
        gpus_per_node=gpus,
        one_pod_per_node=path.one_pod_per_node,
        different_nodes=path.different_nodes,
    )


def network_devices(transport: KvTransport | None, assigned: Assigned) -> dict[str, str]:
    """Return the extended resources of one pod of the worker."""
    pool = assigned.pool
    if transport is None:
        return {}
    if transport.name == "efa":
        return {_EFA_RESOURCE: str(pool.instance_type.efa_interfaces_per_pod(assigned.worker.gpus))}
    if transport.name == "rdma" and pool.rdma is not None:
        # One slot of the device plugin hands a pod all adapters of its node.
        return {pool.rdma.resource: "1"}
    return {}


def transport_problems(
    recipe: Recipe, assigned: Sequence[Assigned], transport: KvTransport
) -> Iterator[Problem]:
    """Yield the workers that the transport does not serve as they are typed."""
    for one in assigned:
        yield from _buffer_problems(recipe, one, transport)
    if transport.name == "efa":
        for one in assigned:
            typed = one.worker.image_version
            # Without libfabric the KV cache would take TCP without a word. Of a tag that others have built
            # nobody can tell what is in it.
            if typed is not None and typed == release_name(typed):
                message = "the release's own image has no libfabric, which kvTransport efa needs"
                key = f"serving.imageVersions.{one.worker.role}"
                yield Problem(key, typed, message, suggestion=efa_image_tag(typed))


def _buffer_problems(recipe: Recipe, one: Assigned, transport: KvTransport) -> Iterator[Problem]:
    """Yield the buffers below the longest prompt, where the backend cannot grow them.

    The backend is the transport's, whatever the recipe names.
    """
    longest = recipe.engine_of("prefill").longest_prompt(recipe.model.shape.max_positions)
    profile = kv_profile(
        transport.name,
        recipe.serving_engine.transports,
        instance_type=one.pool.instance_type,
        runtime_version=recipe.runtime.version,
        roce=one.pool.rdma is not None and one.pool.rdma.fabric == "roce",
    )
    for role, process in {each.role: each for each in one.worker.processes}.items():
        short = recipe.serving_engine.short_buffer(recipe.engine_of(process.worker_role), profile, longest)
        if short is not None:
            option, tokens, enough = short
            message = (
                f"{role} {option.rpartition('.')[2]} {tokens} is smaller than the longest prompt "
                f"that prefill admits, {longest}, and the buffers of kvTransport {transport.name} (backend "
                f"{profile.backend}) do not grow"
            )
            suggestion = f"{enough} or more, or a lower max_seq_len of prefill"
            yield Problem(f"serving.overrides.{role}.{option}", tokens, message, suggestion=suggestion)


def _judge(name: KvTransportName, recipe: Recipe, pools: Sequence[Pool]) -> KvPath:
    """Return what is known of the transport in the pool where it is least proven."""
    paths = _paths(name, recipe, pools).values()
    worst = min(paths, key=lambda path: (_WORST_FIRST.index(path.standing), path.gbit_per_second or 0))
    between = _between(name, pools)
    if between is None or worst.standing is Standing.IMPOSSIBLE:
        return worst
    return replace(worst, standing=Standing.IMPOSSIBLE, reason=between, gbit_per_second=None)


def _paths(name: KvTransportName, recipe: Recipe, pools: Sequence[Pool]) -> dict[str, KvPath]:
    """Return what is known of the transport in each pool, by the pool's name."""
    major, minor, patch = (int(part) for part in recipe.runtime.version.split("."))
    return {
        pool.name: kv_path(
            name,
            pool.instance_type,
            efa=recipe.serving_engine.efa,
            runtime=(major, minor, patch),
            rdma=pool.rdma is not None,
            one_machine=len(pools) == 1 and pool.nodes == 1,
            one_pod=recipe.one_pod is not None,
        )
        for pool in pools
    }


def _between(name: KvTransportName, pools: Sequence[Pool]) -> str | None:
    """Return why the transport does not lead from one of the pools to the other."""
    if len(pools) == 1:
        return None
    if name == "mnnvl":
        return "all workers must be in one NVLink domain, so in one pool: write `pool` instead of `pools`"
    zones = list(dict.fromkeys(pool.zone for pool in pools if pool.zone is not None))
    if name == "efa" and len(zones) > 1:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html, limitations
        return f"EFA ends at a zone, and the pools are in {' and '.join(zones)}: nodePools[].zone"
    fabrics = {pool.rdma.fabric for pool in pools if pool.rdma is not None}
    if name == "rdma" and len(fabrics) > 1:
        return "one pool is on InfiniBand and the other on RoCE, and nothing leads from one to the other"
    return None


def _choice(path: KvPath, recipe: Recipe, pools: Sequence[Pool], *, explicit: bool) -> KvTransport:
    return KvTransport(
        path=path,
        paths=_paths(path.transport, recipe, pools),
        explicit=explicit,
        ceiling=_ceiling(recipe, path),
        placement=_demands(path, domain_nodes=pools[0].domain_nodes, nodes_differ=len(pools) > 1),
    )


def _impossible(path: KvPath, recipe: Recipe, judged: Collection[KvPath]) -> Problem:
    documented = [other.transport for other in judged if other.standing is Standing.DOCUMENTED]
    if documented:
        suggestion = f"kvTransport: {documented[0]}"
    elif path.transport == "nvlink":
        suggestion = path.lifted_by
    else:
        model = recipe.name.partition("/")[0]
        suggestion = f"an aggregated recipe of {model} transfers no KV cache"
    return Problem(
        _KEY,
        path.transport,
        f"impossible here: {path.reason}",
        allowed=_listed(recipe, judged),
        suggestion=suggestion,
    )


def _listed(recipe: Recipe, judged: Collection[KvPath]) -> str:
    """Return the possible choices, one a line, with what is known of each and what it can carry."""
    lines = [
        f"{path.transport}, {path.standing.value}: {path.reason}; {_rate(recipe, path)}"
        for path in judged
        if path.standing is not Standing.IMPOSSIBLE
    ]
    return "\n    ".join(["one of", *lines])


def _ceiling(recipe: Recipe, path: KvPath) -> str:
    """Return the size of a prompt, and how many a second one prefill hands to one decode worker at most."""
    payload = _prompt_bytes(recipe)
    slowest, fastest = (_number(1 / seconds) for seconds in reversed(tcp_range(payload)))
    beside = f", where TCP would carry {slowest} to {fastest}" if path.transport == "nvlink" else ""
    return (
        f"a prompt of {recipe.traffic.input_tokens:,} tokens is {payload / 1e9:.2f} GB of KV cache: "
        f"{_rate(recipe, path)}{beside} (computed, not measured)"
    )


def _rate(recipe: Recipe, path: KvPath) -> str:
    """Return how many prompts a second the path can hand over."""
    fastest, slowest = transfer_range(_prompt_bytes(recipe), path)
    least, most = _number(1 / slowest), _number(1 / fastest)
    if path.gbit_per_second is None:
        slow, fast = TCP_GIGABYTES_PER_SECOND
        return (
            "nobody publishes what TCP carries inside one machine, where it passes no network card; "
            f"{least} to {most} prompts a second at the {slow:.0f} to {fast:.0f} GB/s that NVIDIA's EFA "
            "guide gives for TCP"
        )
    carrier = f"{path.gbit_per_second:,.0f} Gbit/s of {_CARRIER[path.transport]}"
    text = f"at most {most} prompts a second over {carrier}"
    if path.transport != "tcp":
        return text
    return f"{text} and {least} over one TCP flow of {TCP_FLOW_GBIT:.0f} Gbit/s"


def _demands(path: KvPath, *, domain_nodes: int, nodes_differ: bool) -> str:
    """Return what the path demands of placement; empty where nothing."""
    if path.ends_at_pod:
        return "one pod: the workers of two would not reach each other"
    if path.same_clique:
        return (
            f"all workers on nodes of one NVLink domain, at most {domain_nodes} in this pool, and each on a "
            "node of its own: a node has one IMEX channel (kubernetes-sigs/dra-driver-nvidia-gpu#353)"
        )
    parts: list[str] = []
    if path.same_zone:
        parts.append("all workers in one availability zone, which EFA never leaves")
    if path.one_pod_per_node:
        parts.append("each on a node of its own, with all of its EFA interfaces")
    elif path.different_nodes and not nodes_differ:
        parts.append("prefill and decode on different nodes")
    return "; ".join(parts)


def _prompt_bytes(recipe: Recipe) -> int:
    """Return the bytes of KV cache of one prompt of the length that the recipe is sized for."""
    return recipe.kv_bytes_per_token * recipe.traffic.input_tokens


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"  # noqa: PLR2004 - three digits say enough
