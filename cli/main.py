"""The command `dynamo-stack`."""

# ruff: noqa: PLC0415
# Each command imports what it needs when it runs: Pulumi's SDK alone takes longer to load than `list` runs.

import gc
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from cli.bench_command import bench_command
from cli.check_command import check_command
from cli.diff_command import diff_command
from cli.doctor_command import doctor_command
from cli.exit_codes import UNREADABLE
from cli.pools_command import pools_command
from cli.preflight_command import preflight_command
from cli.preview_command import preview_command
from cli.recipes_command import recipes_app
from cli.record_command import record_command
from cli.recover_command import recover_command
from cli.report_command import report_command
from cli.size_command import size_command
from cli.smoke_command import smoke_command
from cli.stack_argument import StackArgument
from compose.options import ComposeOptions, Discovery, Network

_Callback = TypeVar("_Callback", bound=Callable[..., None])

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

_ALLOCATIONS = 100_000
"""Before Python looks for cycles; 700 (2,000 from 3.12 on) where nobody says otherwise."""

app = typer.Typer(
    name="dynamo-stack",
    help="List, explain, render and check Dynamo stacks; try one, recover one that a run left half done.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

# Groups of the help, in the order in which a stack lives.
_CHOOSE, _BEFORE, _RUNS = "Choose and describe a stack", "Before `pulumi up`", "While it runs"


def _command(name: str, panel: str, *examples: str) -> Callable[[_Callback], _Callback]:
    """Return the decorator of a command that stands in a group of the help, with examples below its own."""
    return app.command(
        name=name, rich_help_panel=panel, epilog="\n\n".join(f"Example: {each}" for each in examples)
    )


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"dynamo-stack {version('dynamo-stack')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """What stands before the name of a command."""


@_command("list", _CHOOSE, "dynamo-stack list")
def list_command(*, as_json: AsJson = False) -> None:
    """Show the stacks here and the recipes that a stack can name."""
    from cli.list_stacks import list_stacks_and_recipes

    list_stacks_and_recipes(as_json=as_json)


@_command("explain", _CHOOSE, "dynamo-stack explain disagg-b200")
def explain_command(
    stack: StackArgument,
    *,
    in_full: Annotated[
        bool, typer.Option("--all", help="Everything: nodes, prices, order, defects.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show on one screen what a stack becomes: what runs where, its cost, its KV path, its updates."""
    from cli.explain import explain

    explain(stack, in_full=in_full, as_json=as_json)


_command(
    "size",
    _CHOOSE,
    "dynamo-stack size --input 8192 --output 1024 --tpot 15ms --gpu B200 --to Pulumi.mine.yaml",
)(size_command)


@_command("render", _BEFORE, "dynamo-stack render disagg-b200 --to manifests --helm argocd")
def render_command(
    stack: StackArgument,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Write one file per object into this directory."),
    ] = None,
    helm: Annotated[
        str,
        typer.Option(
            "--helm",
            metavar="argocd|flux",
            help="Write each Helm release as what Argo CD or Flux makes it from, instead of a comment.",
        ),
    ] = "comment",
    benchmark: Annotated[
        bool, typer.Option("--benchmark", help="Print the recipe's benchmark Job and nothing else.")
    ] = False,
) -> None:
    """Write the Kubernetes objects of a stack as YAML, in the order in which they are applied."""
    from cli.gitops import HelmStyle
    from cli.render import render, render_benchmark

    styles = {style.value: style for style in HelmStyle}
    if helm not in styles:
        raise typer.BadParameter(f"{helm!r} is not one of {', '.join(styles)}", param_hint="--helm")
    if not benchmark:
        render(stack, to, styles[helm])
    elif to is None:
        render_benchmark(stack)
    else:
        # In a folder that is applied again and again the run would start again and again.
        raise typer.BadParameter(
            "--benchmark prints one Job; it has no place in a folder of a stack's objects"
        )


@_command("compose", _CHOOSE, "dynamo-stack compose dev --to compose-dev")
def compose_command(
    stack: StackArgument,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Write into this directory; else into compose-STACK here."),
    ] = None,
    discovery: Annotated[
        Discovery,
        typer.Option("--discovery", help="How workers are found: by etcd, with NATS, or by files alone."),
    ] = Discovery.ETCD,
    network: Annotated[
        Network,
        typer.Option("--network", help="The network of the containers: one of their own, or the host's."),
    ] = Network.BRIDGE,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files there that this command did not write.")
    ] = False,
) -> None:
    """Write a stack whose workers fit one host as a Docker Compose project, without Kubernetes."""
    from cli.compose import compose

    compose(stack, to, ComposeOptions(discovery, network), force=force)


_command(
    "check",
    _BEFORE,
    "dynamo-stack check disagg-b200",
    "dynamo-stack check --file deploy.yaml --pool p6-b200.48xlarge=1",
)(check_command)
_command(
    "preflight",
    _BEFORE,
    "dynamo-stack preflight disagg-b200",
    "dynamo-stack preflight disagg-b200 --policy deployer",
)(preflight_command)


@_command("drift", _RUNS, "dynamo-stack drift disagg-b200")
def drift_command(
    stack: StackArgument,
    *,
    as_json: AsJson = False,
) -> None:
    """Show what somebody changed in the cluster: exit 1 if anything differs, 2 if it cannot be told."""
    from cli.drift import drift

    drift(stack, as_json=as_json)


# `diff` runs it in the code of either side; a person reads `explain`.
app.command(name="record", hidden=True)(record_command)
_command("preview", _BEFORE, "dynamo-stack preview disagg-b200")(preview_command)
_command("recover", _RUNS, "dynamo-stack recover disagg-b200")(recover_command)
_command(
    "doctor",
    _RUNS,
    "dynamo-stack doctor disagg-b200",
    "dynamo-stack doctor --context gpu-cluster --namespace gpt-oss",
)(doctor_command)
_command("smoke", _RUNS, "dynamo-stack smoke disagg-b200")(smoke_command)
_command("bench", _RUNS, "dynamo-stack bench disagg-b200")(bench_command)
_command("diff", _BEFORE, "dynamo-stack diff main --stack disagg-b200")(diff_command)
_command("pools", _CHOOSE, "dynamo-stack pools --context gpu-cluster")(pools_command)
_command("report", _CHOOSE, "dynamo-stack report disagg-b200 --to report.html")(report_command)
app.add_typer(recipes_app, name="recipes", rich_help_panel=_CHOOSE)


def main() -> None:
    """Run the command line; what a person did wrong is said in words, never as a traceback."""
    # A command loads a thousand modules and ends: looking for cycles among what they define, which stays,
    # would take a fifth of its time.
    gc.set_threshold(_ALLOCATIONS)
    try:
        _command_line()()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python would complain again while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(UNREADABLE)
    except Exception as error:
        message = _message_for_a_person(error)
        if message is None:
            raise
        from cli.output import say

        say(message, error=True)
        sys.exit(UNREADABLE)


@cache
def _command_line() -> Callable[[], object]:
    # `app()` would build the command again each time that it is called in one process.
    return typer.main.get_command(app)


def _message_for_a_person(error: Exception) -> str | None:
    from operations.errors import CommandError
    from resource_graph import DuplicateResourceError
    from resource_graph.input_text import InputError
    from stacks.errors import SettingsError

    if isinstance(error, OSError) and error.filename is not None:
        # A folder that cannot be read, a disk that is full: not to be debugged.
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, SettingsError | InputError | DuplicateResourceError | CommandError):
        return str(error)
    return str(error) if isinstance(error, _recording_errors()) else None


def _recording_errors() -> tuple[type[Exception], ...]:
    # Only a process that recorded a program has the module, and only that can have raised its error.
    recorder = sys.modules.get("resource_graph.recorder")
    return () if recorder is None else (recorder.RecordingError,)
