"""How KV-cache blocks travel from prefill to decode workers."""

from recipes.placed import PlacedService
from stacks.errors import Problem
from stacks.resolved import KvTransport
from stacks.settings import ServingSettings

_WHY_TYPED = (
    "this recipe's workers are separate pods, and no faster path between them is proven for its release; "
    "NVIDIA's guide gives plain TCP about 98 s to the first token, against 0.2-0.5 s over RDMA"
)


def resolve_transport(
    serving: ServingSettings, workers: tuple[PlacedService, ...], source: str
) -> tuple[KvTransport | None, tuple[Problem, ...]]:
    """Return the transport that was typed.

    Plain TCP is what the published recipe falls back to in silence, with every pod Ready, so it is
    never chosen for anybody: a person types it.
    """
    if serving.kv_transport is None:
        problem = Problem(
            source,
            "serving.kvTransport",
            None,
            f"not typed: {_WHY_TYPED}",
            allowed="tcp",
            suggestion="kvTransport: tcp, if a slow first token is acceptable",
        )
        return None, (problem,)
    nodes = {worker.placement.pool for worker in workers if worker.placement}
    reason = (
        f"typed in {source}; the published recipe asks for no RDMA device and no NVLink channel, so its UCX "
        f"transceiver uses the pod network between workers in {' and '.join(sorted(nodes))}"
    )
    return KvTransport(serving.kv_transport, reason), ()
