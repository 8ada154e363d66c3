"""The file of --assert: the figures that a run must reach, and those that it missed."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from operations.benchmark.result import Measurement
from recipes.benchmark_load import Load
from recipes.strict_model import PositiveInt, StrictModel
from resource_graph.input_text import read_inputs
from stacks.errors import Problem, SettingsError
from stacks.settings.explain_validation import problems_of
from stacks.settings.setting_types import TextForm
from stacks.settings.yaml_file import YamlProblemError, parse_yaml

ShapeText = Annotated[
    str,
    TextForm(pattern=r"^[1-9][0-9]*/[1-9][0-9]*$", words="tokens of prompt and answer, such as 8192/1024"),
]
Least = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Most = Annotated[float, Field(ge=0, allow_inf_nan=False)]

_PER_GPU = "output_tokens_per_second_per_gpu"


class AtLeast(StrictModel):
    """Figures that may be higher and not lower."""

    output_tokens_per_second: Least | None = None
    output_tokens_per_second_per_gpu: Least | None = None
    output_tokens_per_second_per_user: Least | None = None
    requests_per_second: Least | None = None


class AtMost(StrictModel):
    """Figures that may be lower and not higher."""

    ttft_p50_milliseconds: Most | None = None
    ttft_p90_milliseconds: Most | None = None
    ttft_p99_milliseconds: Most | None = None
    itl_p50_milliseconds: Most | None = None
    itl_p90_milliseconds: Most | None = None
    itl_p99_milliseconds: Most | None = None
    request_p99_milliseconds: Most | None = None
    error_percent: Most | None = None
    """Requests that failed, of all that were sent."""


class Threshold(StrictModel):
    """What the loads of one shape must reach."""

    shape: ShapeText
    """Tokens of prompt and answer, such as 8192/1024."""
    concurrency: PositiveInt | None = None
    """Of one load; left out: of every load of the shape."""
    at_least: AtLeast = AtLeast()
    at_most: AtMost = AtMost()

    @model_validator(mode="after")
    def _says_something(self) -> "Threshold":
        if not list(_limits(self)):
            raise ValueError("says nothing that a run must reach")
        return self


class Thresholds(StrictModel):
    """All that a run must reach."""

    thresholds: Annotated[tuple[Threshold, ...], Field(min_length=1)]


FIGURES: Mapping[str, Callable[[Measurement], float | None]] = MappingProxyType(
    {
        "output_tokens_per_second": lambda each: each.output_tokens_per_second,
        _PER_GPU: lambda each: each.output_tokens_per_second_per_gpu,
        "output_tokens_per_second_per_user": lambda each: each.output_tokens_per_second_per_user,
        "requests_per_second": lambda each: each.requests_per_second,
        "ttft_p50_milliseconds": lambda each: each.ttft_milliseconds.p50,
        "ttft_p90_milliseconds": lambda each: each.ttft_milliseconds.p90,
        "ttft_p99_milliseconds": lambda each: each.ttft_milliseconds.p99,
        "itl_p50_milliseconds": lambda each: each.itl_milliseconds.p50,
        "itl_p90_milliseconds": lambda each: each.itl_milliseconds.p90,
        "itl_p99_milliseconds": lambda each: each.itl_milliseconds.p99,
        "request_p99_milliseconds": lambda each: each.request_milliseconds.p99,
        "error_percent": lambda each: 100 * each.errors / (each.requests + each.errors),
    }
)


@dataclass(frozen=True, slots=True)
class _Limit:
    figure: str
    """The field's name."""
    key: str
    """The key in the file."""
    value: float
    is_least: bool

    def regression(self, measured: Measurement) -> str | None:
        """Return that a load misses it, and by how much; None where it does not, or has no such figure."""
        found = FIGURES[self.figure](measured)
        if found is None or (found >= self.value if self.is_least else found <= self.value):
            return None
        side, way = ("at least", "less") if self.is_least else ("at most", "more")
        apart = abs(found - self.value)
        distance = f"{100 * apart / self.value:.1f} %" if self.value else _shown(apart)
        return (
            f"{measured.shape} at {measured.concurrency}: {self.key} is {_shown(found)}, {side} "
            f"{_shown(self.value)} is asked for: {distance} {way}"
        )


def load_thresholds(file: Path) -> Thresholds:
    """Return the thresholds of a YAML file.

    Raises:
        InputError: it cannot be read.
        SettingsError: all that is wrong with it.

    """
    [given] = read_inputs([file])
    try:
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        return Thresholds.model_validate_json(json.dumps(parse_yaml(given.text)))
    except ValidationError as error:
        raise SettingsError({given.name: problems_of(error, Thresholds)}) from None
    except YamlProblemError as error:
        place = f"{given.name}:{error.line}" if error.line else given.name
        raise SettingsError({place: [Problem("", None, f"not a file of thresholds: {error}")]}) from None


def regressions(thresholds: Thresholds, measured: Sequence[Measurement]) -> list[str]:
    """Return every figure of a load that does not reach its threshold, in the order of the file."""
    return [
        text
        for threshold in thresholds.thresholds
        for each in measured
        if each.shape == threshold.shape and threshold.concurrency in {None, each.concurrency}
        for limit in _limits(threshold)
        if (text := limit.regression(each))
    ]


def unmeasured(thresholds: Thresholds, loads: Iterable[Load], why_not_per_gpu: str | None) -> list[Problem]:
    """Return the thresholds that these loads would leave unjudged: they would pass without a measurement.

    Args:
        thresholds: the file's.
        loads: what is to be measured.
        why_not_per_gpu: why there will be no figure per GPU; None where there will be one.

    """
    measured: dict[str, list[int]] = {}
    for load in loads:
        measured.setdefault(load.shape, []).append(load.concurrency)
    return [
        problem
        for index, threshold in enumerate(thresholds.thresholds)
        for problem in _unmeasured(f"thresholds[{index}]", threshold, measured, why_not_per_gpu)
    ]


def _unmeasured(
    place: str, threshold: Threshold, measured: Mapping[str, list[int]], why_not_per_gpu: str | None
) -> Iterator[Problem]:
    concurrencies = measured.get(threshold.shape)
    if concurrencies is None:
        yield Problem(
            f"{place}.shape",
            threshold.shape,
            "is not measured by this run, so it would pass unseen",
            allowed=", ".join(measured),
            suggestion=f"add --shape {threshold.shape}",
        )
    elif threshold.concurrency is not None and threshold.concurrency not in concurrencies:
        yield Problem(
            f"{place}.concurrency",
            threshold.concurrency,
            "is not measured by this run, so it would pass unseen",
            allowed=", ".join(map(str, concurrencies)),
        )
    for limit in _limits(threshold):
        if limit.figure == _PER_GPU and why_not_per_gpu is not None:
            yield Problem(f"{place}.atLeast.{limit.key}", limit.value, why_not_per_gpu)


def _limits(threshold: Threshold) -> Iterator[_Limit]:
    for part, is_least in ((threshold.at_least, True), (threshold.at_most, False)):
        for name, field in type(part).model_fields.items():
            value: float | None = getattr(part, name)
            if value is not None:
                yield _Limit(name, field.alias or name, value, is_least)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004 - four digits either way
