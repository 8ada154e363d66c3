"""The file of --assert: the figures that a run must reach, and those that it missed."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from operations.benchmark.result import Measurement
from recipes.benchmark import Load
from recipes.strict_model import PositiveInt, StrictModel
from resource_graph.input_text import read_inputs
from resource_graph.yaml_events import YamlProblem
from stacks.errors import Problem, SettingsError
from stacks.settings.explain_validation import problems_of
from stacks.settings.setting_types import TextForm
from stacks.settings.yaml_file import parse_yaml

ShapeText = Annotated[
    str,
    TextForm(pattern=r"^[1-9][0-9]*/[1-9][0-9]*$", words="tokens of prompt and answer, such as 8192/1024"),
]
Least = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Most = Annotated[float, Field(ge=0, allow_inf_nan=False)]


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
        if self.at_least == AtLeast() and self.at_most == AtMost():
            raise ValueError("says nothing that a run must reach")
        return self

    def judges(self, load: Load | Measurement) -> bool:
        """Whether the load is one of those."""
        return load.shape == self.shape and self.concurrency in {None, load.concurrency}


class Thresholds(StrictModel):
    """All that a run must reach."""

    thresholds: Annotated[tuple[Threshold, ...], Field(min_length=1)]


FIGURES: Mapping[str, Callable[[Measurement], float | None]] = MappingProxyType(
    {
        "output_tokens_per_second": lambda each: each.output_tokens_per_second,
        "output_tokens_per_second_per_gpu": lambda each: each.output_tokens_per_second_per_gpu,
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


def load_thresholds(file: Path) -> Thresholds:
    """Return the thresholds of a YAML file.

    Raises:
        InputError: it cannot be read.
        SettingsError: all that is wrong with it.

    """
    [(name, text)] = read_inputs([file])
    try:
        # As JSON, because pydantic's strict mode takes a list for a tuple only there.
        return Thresholds.model_validate_json(json.dumps(parse_yaml(text)))
    except ValidationError as error:
        raise SettingsError({name: problems_of(error, Thresholds)}) from None
    except YamlProblem as error:
        place = f"{name}:{error.line}" if error.line else name
        raise SettingsError({place: [Problem("", None, f"not a file of thresholds: {error}")]}) from None


def regressions(thresholds: Thresholds, measured: Sequence[Measurement]) -> list[str]:
    """Return every figure of a load that does not reach its threshold, in the order of the file."""
    return [
        f"{each.shape} at {each.concurrency}: {text}"
        for threshold in thresholds.thresholds
        for each in measured
        if threshold.judges(each)
        for limits in (threshold.at_least, threshold.at_most)
        for text in _missed(limits, each)
    ]


def unmeasured(thresholds: Thresholds, loads: Sequence[Load], why_not_per_gpu: str | None) -> list[Problem]:
    """Return the thresholds that these loads would leave unjudged: they would pass without a measurement.

    Args:
        thresholds: the file's.
        loads: what is to be measured.
        why_not_per_gpu: why there will be no figure per GPU; None where there will be one.

    """
    problems: list[Problem] = []
    for index, threshold in enumerate(thresholds.thresholds):
        shape, concurrency = threshold.shape, threshold.concurrency
        if not any(threshold.judges(load) for load in loads):
            problems.append(
                Problem(
                    f"thresholds[{index}]",
                    f"{shape} at {concurrency}" if concurrency else shape,
                    "is not measured by this run, so it would pass unseen",
                    allowed=", ".join(f"{load.shape} at {load.concurrency}" for load in loads),
                    suggestion=f"--shape {shape}" + (f" --concurrency {concurrency}" if concurrency else ""),
                )
            )
        per_gpu = threshold.at_least.output_tokens_per_second_per_gpu
        if per_gpu is not None and why_not_per_gpu is not None:
            key = f"thresholds[{index}].atLeast.outputTokensPerSecondPerGpu"
            problems.append(Problem(key, per_gpu, why_not_per_gpu))
    return problems


def _missed(limits: AtLeast | AtMost, measured: Measurement) -> Iterator[str]:
    """The figures of a load that miss these limits, and by how much; one that is absent misses none."""
    is_least = isinstance(limits, AtLeast)
    side, way = ("at least", "less") if is_least else ("at most", "more")
    for name, field in type(limits).model_fields.items():
        limit, found = getattr(limits, name), FIGURES[name](measured)
        if limit is None or found is None or (found >= limit if is_least else found <= limit):
            continue
        apart = abs(found - limit)
        distance = f"{100 * apart / limit:.1f} %" if limit else _shown(apart)
        yield (f"{field.alias} is {_shown(found)}, {side} {_shown(limit)} is asked for: {distance} {way}")


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004 - four digits either way
