"""GPUs of a stack and what they cost, from the pools of one recording."""

from collections.abc import Iterable, Sequence

from pydantic import computed_field
from pydantic.dataclasses import dataclass

from comparison.recording import RecordedPool
from comparison.result import RESULT


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class Gpus:
    """All GPUs of one accelerator."""

    accelerator: str
    total: int
    used: int
    """Asked for by the stack's workers."""

    @computed_field
    @property
    def idle(self) -> int:
        """GPUs that are there and that no worker asks for."""
        return self.total - self.used


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class Price:
    """A published price."""

    machine: str
    usd_per_gpu_hour: float
    source: str
    date: str
    """Day on which the price was read, as YYYY-MM-DD."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class Block:
    """A Capacity Block: its fee is paid once, in advance, for all of its hours, used or not."""

    id: str
    gpus: int
    usd_per_hour: float | None
    """The fee, spread over the hours of the block, for the nodes of the pool; None without a price."""


@dataclass(frozen=True, slots=True, kw_only=True, config=RESULT)
class Capacity:
    """All pools of one side."""

    gpus: tuple[Gpus, ...] = ()
    """By the name of the accelerator."""
    usd_per_hour: float = 0.0
    """What grows with every hour; the fees of Capacity Blocks are in `blocks`."""
    idle_usd_per_hour: float = 0.0
    """Share of the idle GPUs in both."""
    unpriced_gpus: int = 0
    """GPUs that are in neither, because no price is known for them."""
    blocks: tuple[Block, ...] = ()
    prices: tuple[Price, ...] = ()
    """One for each kind of machine and each price of it."""


def capacity_of(pools: Sequence[RecordedPool]) -> Capacity:
    """Return what the pools have and cost together."""
    return Capacity(
        gpus=tuple(_gpus(pools)),
        usd_per_hour=sum(_usd(each, each.gpus) for each in pools if each.block is None),
        idle_usd_per_hour=sum(_usd(each, each.gpus - each.used_gpus) for each in pools),
        unpriced_gpus=sum(each.gpus for each in pools if each.usd_per_gpu_hour is None),
        blocks=tuple(_blocks(pools)),
        prices=tuple(dict.fromkeys(_prices(pools))),
    )


def _gpus(pools: Sequence[RecordedPool]) -> Iterable[Gpus]:
    for accelerator in sorted({each.accelerator for each in pools}):
        same = [each for each in pools if each.accelerator == accelerator]
        yield Gpus(
            accelerator=accelerator,
            total=sum(each.gpus for each in same),
            used=sum(each.used_gpus for each in same),
        )


def _blocks(pools: Sequence[RecordedPool]) -> Iterable[Block]:
    for block in sorted({each.block for each in pools if each.block is not None}):
        same = [each for each in pools if each.block == block]
        is_priced = all(each.usd_per_gpu_hour is not None for each in same)
        yield Block(
            id=block,
            gpus=sum(each.gpus for each in same),
            usd_per_hour=sum(_usd(each, each.gpus) for each in same) if is_priced else None,
        )


def _prices(pools: Sequence[RecordedPool]) -> Iterable[Price]:
    for each in pools:
        if each.usd_per_gpu_hour is not None:
            yield Price(
                machine=each.machine,
                usd_per_gpu_hour=each.usd_per_gpu_hour,
                source=each.price_source or "the stack file",
                date=each.price_date or "no date",
            )


def _usd(pool: RecordedPool, gpus: int) -> float:
    return (pool.usd_per_gpu_hour or 0.0) * gpus
