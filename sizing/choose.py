"""The choice of a layout for a workload, among measured points alone."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

from sizing.points import Layout, Point, Shape

_SECONDS_OF_AN_HOUR = 3600
_TOKENS_PRICED = 1_000_000
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Workload:
    """What clients ask for, how much of it, and how long they may wait."""

    shape: Shape
    requests_per_second: float | None = None
    users: int | None = None
    """Requests under way at a time."""
    gpu: str | None = None
    """Kind of GPU; None: any."""
    gpus: int | None = None
    """How many there are at most; None: as many as it takes."""
    tpot_ms: float | None = None
    """Median time between tokens at most; None: any time."""
    ttft_ms: float | None = None
    """Median time to the first token at most; None: any time."""

    def excess(self, point: Point) -> float:
        """By which factor the run misses the limits at worst; 1 where it keeps them.

        A time to the first token that nobody published keeps no limit.
        """
        ttft = math.inf if point.ttft_ms is None else point.ttft_ms
        pairs = ((point.tpot_ms, self.tpot_ms), (ttft, self.ttft_ms))
        return max([1.0, *(found / limit for found, limit in pairs if limit is not None)])


@dataclass(frozen=True, slots=True)
class Option:
    """One layout for the workload."""

    point: Point
    replicas: int
    """How many of the layout; 1 where the workload says neither a rate, nor users, nor GPUs."""
    between: tuple[float, float] | None = None
    """Numbers of users that were measured, where the point lies between them; None: it was measured."""

    @property
    def gpus(self) -> int:
        """GPUs of all of them."""
        return self.replicas * self.point.layout.gpus

    def usd_per_million(self, usd_per_gpu_hour: float) -> float:
        """Return the dollars of a million output tokens, of a GPU that costs so much."""
        return usd_per_gpu_hour / _SECONDS_OF_AN_HOUR / self.point.tokens_per_second_per_gpu * _TOKENS_PRICED


@dataclass(frozen=True, slots=True)
class Choice:
    """The layouts for a workload, the best first."""

    measured: Shape | None
    """The shape that the workload is; None where nobody has measured it."""
    options: tuple[Option, ...]
    """Layouts that keep the limits, by output tokens a second and GPU."""
    nearest: tuple[Option, ...]
    """Where there is no option: what comes nearest, at the nearest shapes or beyond a limit."""


def choose(workload: Workload, points: Iterable[Point]) -> Choice:
    """Return the layouts that serve the workload within the limits, the one with most tokens a GPU first.

    No shape is computed from others, and no number of users beyond those that were run. Between two numbers
    of users of one layout the result is a straight line, which the option says.
    """
    known = [
        point for point in points if point.is_trusted and (workload.gpu is None or point.gpu == workload.gpu)
    ]
    shapes = {point.shape for point in known}
    measured = next((shape for shape in shapes if shape.holds(workload.shape)), None)
    if measured is None:
        near = sorted(shapes, key=lambda shape: _distance(shape, workload.shape))[:2]
        found = (_options(workload, _of(shape, known), _throughput) for shape in near)
        best = (max(options, key=_throughput, default=None) for options in found)
        return Choice(None, (), tuple(filter(None, best)))
    of_shape = _of(measured, known)
    options = sorted(_options(workload, of_shape, _throughput), key=_throughput, reverse=True)
    if options:
        return Choice(measured, tuple(options), ())

    def closeness(option: Option) -> tuple[float, float]:
        return -workload.excess(option.point), _throughput(option)

    patient = replace(workload, tpot_ms=None, ttft_ms=None)
    # Where even the demand cannot be met, what one of each layout gives.
    alone = replace(patient, requests_per_second=None, users=None, gpus=None)
    missed = [*_options(patient, of_shape, closeness)] or [*_options(alone, of_shape, closeness)]
    return Choice(measured, (), tuple(sorted(missed, key=closeness, reverse=True)[:_NEAREST]))


def _distance(shape: Shape, other: Shape) -> float:
    """How far apart two shapes are, as factors: twice the prompt is as far as half of it."""
    return abs(math.log(shape.input_tokens / other.input_tokens)) + abs(
        math.log(shape.output_tokens / other.output_tokens)
    )


def _throughput(option: Option) -> float:
    return option.point.tokens_per_second_per_gpu


def _of(shape: Shape, points: list[Point]) -> list[Point]:
    return [point for point in points if point.shape == shape]


def _options(workload: Workload, points: list[Point], worth: Callable[[Option], Any]) -> Iterator[Option]:
    """The best option of each layout that has one."""
    for _, of_layout in groupby(sorted(points, key=_layout), _layout):
        runs = sorted(of_layout, key=_series)
        found = [
            option
            for _, series in groupby(runs, _series)
            for option in _of_series(workload, list(series))
            # One's own run says more than a published one, and that more than a median over versions.
            if not any(
                run.precedence < option.point.precedence
                and (option.between is not None or run.users == option.point.users)
                for run in runs
            )
        ]
        if found:
            yield max(found, key=worth)


def _layout(point: Point) -> tuple[str, Layout]:
    return point.gpu, point.layout


def _series(point: Point) -> tuple[int, str, str]:
    """Runs that belong together: between those of two versions lies nothing."""
    return point.precedence, point.source, point.version


def _of_series(workload: Workload, runs: list[Point]) -> list[Option]:
    runs = sorted(runs, key=lambda run: run.users)
    room = None if workload.gpus is None else workload.gpus // runs[0].layout.gpus
    if room == 0:
        return []
    if workload.users is not None and room is not None:
        found = _at(runs, workload.users / room)
        options = [] if found is None else [Option(found[0], room, found[1])]
    else:
        options = [Option(point, room or _needed(workload, point)) for point in runs]
    return [
        option
        for option in options
        if workload.excess(option.point) == 1 and _needed(workload, option.point) <= option.replicas
    ]


def _needed(workload: Workload, point: Point) -> int:
    """How many of the layout the rate or the users take."""
    needed = 1 if workload.users is None else _whole(workload.users / point.users)
    if workload.requests_per_second is not None:
        asked = workload.requests_per_second * workload.shape.output_tokens
        needed = max(needed, _whole(asked / (point.tokens_per_second_per_gpu * point.layout.gpus)))
    return needed


def _whole(layouts: float) -> int:
    # A quotient of floats may lie a hair above the whole number that it is.
    return max(1, math.ceil(layouts - 1e-9))


def _at(runs: list[Point], users: float) -> tuple[Point, tuple[float, float] | None] | None:
    """What the layout gives at this number of users; None outside what was run."""
    for run in runs:
        if run.users == users:
            return run, None
    for low, high in pairwise(runs):
        if low.users < users < high.users:
            share = (users - low.users) / (high.users - low.users)
            ttft = None
            if low.ttft_ms is not None and high.ttft_ms is not None:
                ttft = low.ttft_ms + share * (high.ttft_ms - low.ttft_ms)
            rate = low.tokens_per_second_per_gpu
            point = replace(
                low,
                users=users,
                tokens_per_second_per_gpu=rate + share * (high.tokens_per_second_per_gpu - rate),
                ttft_ms=ttft,
                tpot_ms=low.tpot_ms + share * (high.tpot_ms - low.tpot_ms),
            )
            return point, (low.users, high.users)
    return None
