"""`dynamo-stack size`: which measured layout serves a workload within limits."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from cli.documents.sized import SizedLayout, SizeDocument
from cli.exit_codes import FAILED
from cli.output import make_console, print_document, print_line, print_table
from cli.sized_stack import write_stack
from cli.stack_argument import AsJson
from hardware import INSTANCE_TYPES, Source
from operations.evidence import recorded_points
from sizing.choose import Choice, Limits, Option, Workload, choose
from sizing.made_by import made_by
from sizing.points import SOURCES, Shape, published_points
from stacks.wording import in_words

_SHOWN = 10
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
_RATE = re.compile(r"(\d+(?:\.\d+)?)/s")
_HEADERS = ("LAYOUT", "ENGINE", "USERS", "TOK/S/GPU", "TTFT", "TPOT", "GPUS", "$/M OUT", "RECIPE", "MEASURED")


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
    workload = Workload(
        Shape(input_tokens, output_tokens),
        requests_per_second=None if rate is None else _per_second(rate),
        users=users,
        gpu=None if gpu is None else _measured_gpu(gpu),
        gpus=gpus,
    )
    limits = Limits(
        tpot_ms=None if tpot is None else _milliseconds(tpot, "--tpot"),
        ttft_ms=None if ttft is None else _milliseconds(ttft, "--ttft"),
    )
    choice = choose(workload, limits, (*recorded_points(), *published_points()))
    if as_json:
        print_document("size", _document(workload, choice).as_json())
    else:
        _print(workload, limits, choice)
    if not choice.options:
        raise typer.Exit(FAILED)
    if to is not None:
        write_stack(workload, choice.options, to)


def _milliseconds(text: str, option: str) -> float:
    found = _TIME.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no time; such as 15ms or 1.5s", param_hint=option)
    return float(found[1]) * (1000 if found[2] == "s" else 1)


def _per_second(text: str) -> float:
    found = _RATE.fullmatch(text)
    if found is None or not float(found[1]):
        raise typer.BadParameter(f"{text!r} is no rate of requests; such as 20/s", param_hint="--rate")
    return float(found[1])


def _measured_gpu(text: str) -> str:
    known = sorted({point.gpu for point in published_points()})
    if text.upper() not in known:
        message = f"nobody has measured {text!r}; measured: {', '.join(known)}"
        raise typer.BadParameter(message, param_hint="--gpu")
    return text.upper()


def _print(workload: Workload, limits: Limits, choice: Choice) -> None:
    console = make_console()
    shape = workload.shape
    if choice.measured is None:
        print_line(
            console, f"nobody has measured {shape.input_tokens} tokens in and {shape.output_tokens} out"
        )
        print_line(console, "nothing is computed from other lengths; the nearest that were measured gave")
    elif not choice.options:
        print_line(
            console, f"no measured layout serves {choice.measured} {_limits(workload, limits)}; the nearest"
        )
    else:
        best = choice.options[0]
        print_line(
            console, f"{choice.measured} {_limits(workload, limits)}: {best.point.gpu}, {best.point.layout}"
        )
    shown = (choice.options or choice.nearest)[:_SHOWN]
    print_line(console)
    print_table(console, _HEADERS, (_columns(each, choice.measured is None) for each in shown))
    print_line(console)
    for line in _notes(workload, limits, choice, shown):
        print_line(console, line)


def _limits(workload: Workload, limits: Limits) -> str:
    said = [
        f"at {workload.requests_per_second:g} requests a second" if workload.requests_per_second else "",
        f"for {workload.users} users" if workload.users else "",
        f"on {in_words(workload.gpus, 'GPU')}" if workload.gpus else "",
        f"on {workload.gpu}" if workload.gpu else "",
        "" if limits.tpot_ms is None else f"within {limits.tpot_ms:g} ms between tokens",
        "" if limits.ttft_ms is None else f"within {limits.ttft_ms:g} ms to the first",
    ]
    if limits == Limits():
        said.append("without a limit")
    return " ".join(filter(None, said))


def _columns(option: Option, with_shape: bool) -> tuple[str, ...]:
    point = option.point
    made = made_by(point)
    recipe = "none" if made is None else f"{made.recipe}{', overrides' if made.overrides else ''}"
    cost = option.usd_per_million(_dollars())
    return (
        f"{point.gpu} {point.layout}" + (f" ({point.shape})" if with_shape else ""),
        f"{point.layout.engine} {point.version}",
        f"{point.users:g}" + (f" ({option.between[0]:g}-{option.between[1]:g})" if option.between else ""),
        f"{point.tokens_per_second_per_gpu:,.0f}",
        "unknown" if point.ttft_ms is None else f"{point.ttft_ms:,.0f} ms",
        f"{point.tpot_ms:.1f} ms",
        str(option.gpus),
        "unknown" if cost is None else f"{cost:.2f}",
        recipe,
        _measured(option),
    )


def _measured(option: Option) -> str:
    source = SOURCES.get(option.point.source)
    return f"InferenceX {source.date}" if source else f"yours, {option.point.source}"


def _notes(workload: Workload, limits: Limits, choice: Choice, shown: tuple[Option, ...]) -> Iterator[str]:
    prices = {each.point.gpu: _prices().get(each.point.gpu) for each in shown}
    known = [
        f"{gpu} ${price[0]:.2f} an hour ({price[1].text}, {price[1].date})"
        for gpu, price in prices.items()
        if price
    ]
    if known:
        yield f"price of a GPU: {'; '.join(known)}"
    yield (
        "measured: medians of a closed loop without prefix reuse, by SemiAnalysis InferenceX; another "
        "version of an engine gave up to 10 % more or less"
    )
    if any(each.between for each in shown):
        yield "users with two others behind them: between two runs, on a straight line"
    if choice.options or choice.measured is None:
        return
    for name, fewer in (
        ("--tpot", Limits(ttft_ms=limits.ttft_ms)),
        ("--ttft", Limits(tpot_ms=limits.tpot_ms)),
    ):
        relaxed = choose(workload, fewer, published_points()).options
        if fewer != limits and relaxed:
            point = relaxed[0].point
            yield (
                f"without {name}: {point.gpu} {point.layout}, {point.tokens_per_second_per_gpu:,.0f} "
                f"tok/s/GPU, {point.tpot_ms:.1f} ms between tokens"
            )


def _prices() -> Mapping[str, tuple[float, Source]]:
    """The lowest published price of each kind of GPU, in US dollars an hour."""
    found: dict[str, tuple[float, Source]] = {}
    for kind in INSTANCE_TYPES.values():
        price, name = kind.listed_price, kind.accelerator.name
        if price and (name not in found or price[0] < found[name][0]):
            found[name] = price
    return found


def _dollars() -> Mapping[str, float]:
    return {name: usd for name, (usd, _) in _prices().items()}


def _document(workload: Workload, choice: Choice) -> SizeDocument:
    return SizeDocument(
        input_tokens=workload.shape.input_tokens,
        output_tokens=workload.shape.output_tokens,
        shape=None if choice.measured is None else str(choice.measured),
        layouts=tuple(map(_sized, choice.options)),
        nearest=tuple(map(_sized, choice.nearest)),
    )


def _sized(option: Option) -> SizedLayout:
    point, made = option.point, made_by(option.point)
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
        usd_per_million_output_tokens=option.usd_per_million(_dollars()),
        recipe=None if made is None else made.recipe,
        overrides=made is not None and bool(made.overrides),
        measured=_measured(option),
        run=point.run,
    )
