"""What a KV transport can carry and what it demands of placement, as sentences."""

from hardware import (
    TCP_FLOW_GBIT,
    TCP_GIGABYTES_PER_SECOND,
    KvPath,
    KvTransportName,
    Standing,
    requests_per_second,
)
from recipes.model import Recipe

_CARRIER: dict[KvTransportName, str] = {
    "mnnvl": "NVLink of one GPU",
    "rdma": "one adapter",
    "efa": "EFA of one GPU",
    "tcp": "network card 0 between machines",
}


def request_bytes(recipe: Recipe) -> int:
    """Return the bytes of KV cache of one prompt of the length that the recipe is sized for."""
    return recipe.kv_bytes_per_token * recipe.traffic.input_tokens


def ceiling(recipe: Recipe, path: KvPath) -> str:
    """Return how many prompts a second the path can hand from one prefill to one decode worker at most."""
    payload = request_bytes(recipe)
    return (
        f"a prompt of {recipe.traffic.input_tokens:,} tokens is {payload / 1e9:.2f} GB of KV cache: "
        f"{rate(recipe, path)} (computed, not measured)"
    )


def rate(recipe: Recipe, path: KvPath) -> str:
    """Return the same without the size of a prompt, for a list of choices."""
    if path.standing is Standing.IMPOSSIBLE:
        return "none"
    payload = request_bytes(recipe)
    if path.gbit_per_second is None:
        least, most = (_number(gigabytes * 1e9 / payload) for gigabytes in TCP_GIGABYTES_PER_SECOND)
        slow, fast = TCP_GIGABYTES_PER_SECOND
        return (
            "nobody publishes what TCP carries inside one machine, where it passes no network card; "
            f"{least} to {most} prompts a second at the {slow:.0f} to {fast:.0f} GB/s that NVIDIA's EFA "
            "guide gives for TCP"
        )
    text = (
        f"at most {_number(requests_per_second(payload, path.gbit_per_second))} prompts a second over "
        f"{path.gbit_per_second:,.0f} Gbit/s of {_CARRIER[path.transport]}"
    )
    if path.transport != "tcp":
        return text
    flow = requests_per_second(payload, TCP_FLOW_GBIT)
    return f"{text} and {_number(flow)} over one TCP flow of {TCP_FLOW_GBIT:.0f} Gbit/s"


def demands(path: KvPath, *, domain_nodes: int, nodes_differ: bool) -> str:
    """Return what the path demands of placement; empty where nothing.

    Args:
        path: the transport on the workers' nodes.
        domain_nodes: nodes of one NVLink domain in the pool.
        nodes_differ: prefill and decode have pools of their own, so their nodes differ anyway.

    """
    if path.same_clique:
        return (
            f"all workers on nodes of one NVLink domain, at most {domain_nodes} in this pool, and each on a "
            "node of its own: a node has one IMEX channel (kubernetes-sigs/dra-driver-nvidia-gpu#353)"
        )
    parts: list[str] = []
    if path.transport == "efa":
        parts.append("all workers in one availability zone, which EFA never leaves")
    if path.one_pod_per_node:
        parts.append("each on a node of its own, with all of its EFA interfaces")
    elif path.different_nodes and not nodes_differ:
        parts.append("prefill and decode on different nodes")
    return "; ".join(parts)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"  # noqa: PLR2004 - three digits say enough
