"""`dynamo-stack size`: which measured layout serves a workload within limits."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from cli.exit_codes import FAILED
from cli.output import print_result, print_table, say
from cli.sized_stack import new_stack, write_stack
from cli.stack_argument import AsJson, refuse
from hardware import INSTANCE_TYPES, Price
from operations.document import Document
from operations.evidence import recorded_points
from resource_graph.spelling import hint
from sizing.choose import Choice, Option, Workload, choose
from sizing.made_by import made_by
from sizing.points import SOURCES, Shape, published_points
from stacks.plan.infrastructure.prices import published_price
from stacks.wording import in_words

_SHOWN = 10
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
_RATE = re.compile(r"(\d+(?:\.\d+)?)/s")
_HEADERS = ("LAYOUT", "ENGINE", "USERS", "TOK/S/GPU", "TTFT", "TPOT", "GPUS", "$/M OUT", "RECIPE", "MEASURED")


class SizedLayout(Document):
    """One measured layout, and how much of it the workload takes."""

    gpu: str
    """Kind of GPU, such as B200."""
    engine: str
    """tensorrt-llm or vllm."""
    version: str
    """Of the engine that was measured; `mixed`: medians over several."""
    layout: str
    """Workers and how each is split, such as `2 prefill TP1 + 1 decode TP2`."""
    users: float
    """Requests under way at a time in one layout."""
    between: tuple[float, float] | None
    """Numbers of users that were measured, where the figures lie between them; null where they were."""
    tokens_per_second_per_gpu: float
    """Output tokens."""
    ttft_ms: float | None
    """Median time to the first token; null where nobody published it."""
    tpot_ms: float
    """Median time between tokens."""
    replicas: int
    gpus: int
    usd_per_million_output_tokens: float | None
    """Null where no price of the GPU is published."""
    recipe: str | None
    """Recipe of the catalogue that makes it; null where none does."""
    overrides: bool
    """Whether a stack overrides engine options of the recipe for it."""
    measured: str
    """Who measured it, and when."""
    run: str
    """Number of the run, where the source names one."""


class SizeDocument(Document):
    """Layouts for a workload, chosen among measured points of serving."""

    input_tokens: int
    output_tokens: int
    shape: str | None
    """Measured lengths, input/output, that the workload is; null where nobody has measured it."""
    layouts: tuple[SizedLayout, ...]
    """The best first; empty where nothing keeps the limits."""
    nearest: tuple[SizedLayout, ...]
    """What comes nearest, where there is no layout."""


def size(
    *,
    input_tokens: Annotated[
        int, typer.Option("--input", min=1, metavar="TOKENS", help="Tokens of a prompt, at most.")
    ],
    output_tokens: Annotated[
        int, typer.Option("--output", min=1, metavar="TOKENS", help="Tokens of an answer, at most.")
    ],
    tpot: Annotated[
        str | None, typer.Option("--tpot", metavar="TIME", help="Median time between tokens, such as 15ms.")
    ] = None,
    ttft: Annotated[
        str | None, typer.Option("--ttft", metavar="TIME", help="Median time to the first token, such as 1s.")
    ] = None,
    gpu: Annotated[str | None, typer.Option("--gpu", help="Kind of GPU; any, if left out.")] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", min=1, help="GPUs that there are.")] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="RATE", help="Requests a second, such as 20/s.")
    ] = None,
    users: Annotated[
        int | None, typer.Option("--users", min=1, help="Requests that are under way at a time.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write a stack of the best layout.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the layouts, or what comes nearest with exit code 1; write a stack of the best one."""
    name = "" if to is None else new_stack(to)
    workload = Workload(
        Shape(input_tokens, output_tokens),
        requests_per_second=None if rate is None else float(_read(rate, _RATE, "--rate", "20/s")[1]),
        users=users,
        gpu=None if gpu is None else _measured_gpu(gpu),
        gpus=gpus,
        tpot_ms=None if tpot is None else _milliseconds(tpot, "--tpot"),
        ttft_ms=None if ttft is None else _milliseconds(ttft, "--ttft"),
    )
    choice = choose(workload, (*recorded_points(), *published_points()))
    document = _document(workload, choice)
    print_result(
        "size",
        document,
        lambda _: _print(workload, choice),
        as_json=as_json,
        code=0 if choice.options else FAILED,
    )
    if to is not None:
        write_stack(name, workload, choice.options, to)


def _milliseconds(text: str, option: str) -> float:
    found = _read(text, _TIME, option, "15ms or 1.5s")
    return float(found[1]) * (1000 if found[2] == "s" else 1)


def _read(text: str, form: re.Pattern[str], option: str, such_as: str) -> re.Match[str]:
    found = form.fullmatch(text)
    if found is None or not float(found[1]):
        raise typer.BadParameter(f"{text!r} cannot be read; give one such as {such_as}", param_hint=option)
    return found


def _measured_gpu(text: str) -> str:
    known = sorted({point.gpu for point in published_points()})
    unknown = f"nobody has measured {text!r}; measured: {', '.join(known)}{hint(text, known)}"
    refuse("--gpu", text.upper() not in known, unknown)
    return text.upper()


def _print(workload: Workload, choice: Choice) -> None:
    shape = workload.shape
    if choice.measured is None:
        say(f"nobody has measured {shape.input_tokens} tokens in and {shape.output_tokens} out")
        say("nothing is computed from other lengths; the nearest that were measured gave")
    elif not choice.options:
        said = f"no measured layout serves {choice.measured} {_limits(workload)}; the nearest"
        say(said)
    else:
        best = choice.options[0].point
        say(f"{choice.measured} {_limits(workload)}: {best.gpu}, {best.layout}")
    shown = (choice.options or choice.nearest)[:_SHOWN]
    say()
    rows = (_columns(_sized(each), "" if choice.measured else f" ({each.point.shape})") for each in shown)
    print_table(_HEADERS, rows)
    say()
    for line in _notes(shown):
        say(line)


def _limits(workload: Workload) -> str:
    said = [
        f"at {workload.requests_per_second:g} requests a second" if workload.requests_per_second else "",
        f"for {workload.users} users" if workload.users else "",
        f"on {in_words(workload.gpus, 'GPU')}" if workload.gpus else "",
        f"on {workload.gpu}" if workload.gpu else "",
    ]
    limits = [
        f"{most:,g} ms {what}"
        for most, what in ((workload.tpot_ms, "between tokens"), (workload.ttft_ms, "to the first"))
        if most is not None
    ]
    said.append(f"within {' and '.join(limits)}" if limits else "without a limit")
    return " ".join(filter(None, said))


def _columns(layout: SizedLayout, shape: str) -> tuple[str, ...]:
    cost = layout.usd_per_million_output_tokens
    return (
        f"{layout.gpu} {layout.layout}{shape}",
        f"{layout.engine} {layout.version}",
        f"{layout.users:g}" + (f" ({layout.between[0]:g}-{layout.between[1]:g})" if layout.between else ""),
        f"{layout.tokens_per_second_per_gpu:,.0f}",
        "unknown" if layout.ttft_ms is None else f"{layout.ttft_ms:,.0f} ms",
        f"{layout.tpot_ms:.1f} ms",
        str(layout.gpus),
        "unknown" if cost is None else f"{cost:.2f}",
        f"{layout.recipe or 'none'}{', overrides' if layout.overrides else ''}",
        layout.measured,
    )


def _notes(shown: tuple[Option, ...]) -> Iterator[str]:
    kinds = {each.point.gpu for each in shown}
    known = [
        f"{gpu} ${price.usd_per_gpu_hour:.2f} an hour ({price.source.text}, {price.source.date})"
        for gpu, price in _prices().items()
        if gpu in kinds
    ]
    if known:
        yield f"price of a GPU: {'; '.join(known)}"
    yield (
        "measured: medians of a closed loop without prefix reuse, by SemiAnalysis InferenceX; another "
        "version of an engine gave up to 10 % more or less"
    )
    if any(each.between for each in shown):
        yield "users with two others behind them: between two runs, on a straight line"


def _prices() -> Mapping[str, Price]:
    """The lowest published price of each kind of GPU."""
    found: dict[str, Price] = {}
    for kind in INSTANCE_TYPES.values():
        price, name = published_price(kind, None), kind.accelerator.name
        if price:
            found[name] = min(found.get(name, price), price, key=lambda each: each.usd_per_gpu_hour)
    return found


def _document(workload: Workload, choice: Choice) -> SizeDocument:
    return SizeDocument(
        input_tokens=workload.shape.input_tokens,
        output_tokens=workload.shape.output_tokens,
        shape=None if choice.measured is None else str(choice.measured),
        layouts=tuple(map(_sized, choice.options)),
        nearest=tuple(map(_sized, choice.nearest)),
    )


def _sized(option: Option) -> SizedLayout:
    point = option.point
    made = made_by(option.point)
    source, price = SOURCES.get(option.point.source), _prices().get(point.gpu)
    return SizedLayout(
        gpu=point.gpu,
        engine=point.layout.engine,
        version=point.version,
        layout=str(point.layout),
        users=point.users,
        between=option.between,
        tokens_per_second_per_gpu=point.tokens_per_second_per_gpu,
        ttft_ms=point.ttft_ms,
        tpot_ms=point.tpot_ms,
        replicas=option.replicas,
        gpus=option.gpus,
        usd_per_million_output_tokens=price and option.usd_per_million(price.usd_per_gpu_hour),
        recipe=None if made is None else made[0],
        overrides=made is not None and bool(made[1]),
        measured=f"InferenceX {source.date}" if source else f"yours, {point.source}",
        run=point.run,
    )
