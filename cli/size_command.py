"""The command line of `dynamo-stack size`."""

# ruff: noqa: PLC0415
# It imports what it needs when it runs: every other command loads this module too.

from pathlib import Path
from typing import Annotated

import typer


def size_command(
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Choose a layout for a workload among measured points: exit 1 if none keeps the limits."""
    from cli.size import measured_gpu, milliseconds, per_second, size
    from sizing.choose import Limits, Workload
    from sizing.points import Shape

    workload = Workload(
        Shape(input_tokens, output_tokens),
        requests_per_second=None if rate is None else per_second(rate),
        users=users,
        gpu=None if gpu is None else measured_gpu(gpu),
        gpus=gpus,
    )
    limits = Limits(
        tpot_ms=None if tpot is None else milliseconds(tpot, "--tpot"),
        ttft_ms=None if ttft is None else milliseconds(ttft, "--ttft"),
    )
    size(workload, limits, to, as_json=as_json)
