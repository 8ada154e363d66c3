"""The way of the KV cache from prefill to decode as a drawing."""

from dataclasses import dataclass
from typing import Literal

from hardware import Standing
from recipes.placed import PlacedRecipe
from stacks.wording import in_words

WIDTH, HEIGHT = 340, 92

_PlaceOfTransfer = Literal["prefill", "decode"]


@dataclass(frozen=True, slots=True)
class KvEnd:
    """One side of the transfer."""

    role: _PlaceOfTransfer
    pods: str
    gpus: str


@dataclass(frozen=True, slots=True)
class KvPathDrawing:
    """Prefill workers, the transport, decode workers."""

    sender: KvEnd
    receiver: KvEnd
    transport: str
    standing: str
    is_proven: bool
    summary: str


def kv_path_drawing(placed: PlacedRecipe) -> KvPathDrawing | None:
    """Return the drawing; None where the KV cache never leaves its worker."""
    transport = placed.kv_transport
    if transport is None:
        return None
    sender, receiver = _end(placed, "prefill"), _end(placed, "decode")
    path = transport.path
    standing = "reported failing" if path.reported_failing else path.standing.value
    return KvPathDrawing(
        sender,
        receiver,
        path.transport,
        standing,
        is_proven=path.standing is Standing.DOCUMENTED,
        summary=f"KV cache from prefill ({sender.pods}) to decode ({receiver.pods}) by {path.transport}, "
        f"{standing}",
    )


def _end(placed: PlacedRecipe, role: _PlaceOfTransfer) -> KvEnd:
    engines = [
        (worker.replicas, process.gpus)
        for worker in placed.workers
        for process in worker.recipe.processes
        if process.role == role
    ]
    count = sum(replicas for replicas, _ in engines)
    return KvEnd(role, in_words(count, "engine"), f"{in_words(engines[0][1], 'GPU')} each")
