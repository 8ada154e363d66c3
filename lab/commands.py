"""The lab's commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from typer.exceptions import TyperException

from lab import answer, cluster, control_plane, processes, rehearsal, report, stack
from lab.directory import REPOSITORY, LabDirectory
from lab.environment import exports, sealed_environment
from lab.errors import LabError
from lab.interruption import INTERRUPTED, SAID, unwind_when_interrupted
from lab.toolchain.build import ToolBuildError, build_missing, cache_directory, executables
from lab.toolchain.go import GoNotAvailableError

if TYPE_CHECKING:
    from collections.abc import Iterable

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
# Without a terminal rich assumes 80 columns and cuts pod names off.
console = Console() if sys.stdout.isatty() else Console(width=130)

_PAST = {"create": "created", "update": "updated", "delete": "deleted", "replace": "replaced"}

StackName = Annotated[str, typer.Option("--stack", help="The stack to bring up or take down.")]


class Pods(StrEnum):
    """What is behind the lab's pods."""

    SERVING = "serving"
    """Real processes: NATS, etcd, the Dynamo runtime with a mock engine. All others are simulated."""
    SIMULATED = "simulated"
    """Nothing: kwok says of each that it runs."""


PodsOption = Annotated[Pods, typer.Option("--pods", help="Real processes behind the pods, or none.")]

_NEXT = """[bold]What to type next[/bold]
  make shell                      a shell in the lab's sealed environment; in it:
    pulumi preview --stack dev      what would change (nothing, until you edit Pulumi.dev.yaml)
    dynamo-stack explain dev        what runs where, why, and what it would cost
    dynamo-stack smoke dev          what clients will ask, asked: chat, streaming, tools, reasoning
    kubectl get pods -A             the simulated cluster
  make lab-down                   destroys the stack, then the cluster"""


@app.command()
def tools() -> None:
    """Build the tools of the lab, of the checks and of the tests, once per machine."""
    cache = cache_directory()
    build_missing(cache, _say, *executables(cache))
    _say("tools are built")


@app.command()
def lint_workflows() -> None:
    """Lint the workflows with actionlint, which is built where it is missing."""
    cache = cache_directory()
    build_missing(cache, _say, "actionlint")
    # Without the shellcheck and pyflakes of this machine, which another one has not.
    command = [str(executables(cache)["actionlint"]), "-no-color", "-shellcheck=", "-pyflakes="]
    files = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
    if subprocess.run([*command, *map(str, files)], check=False).returncode:
        raise LabError("actionlint finds mistakes in the workflows")


@app.command()
def up(stack_name: StackName = "dev", pods: PodsOption = Pods.SERVING) -> None:
    """Start the simulated cluster, bring the stack up on it, and ask its model something."""
    started = time.monotonic()
    lab = LabDirectory.default()
    # Everything else that starts a lab also ends it.
    processes.supervise(lab, outlive=True)
    cluster.up(lab, _say, serving=pods is Pods.SERVING)
    _say("cluster is up; `pulumi up` usually takes about 25 s")
    answers: dict[report.GraphKey, answer.Answer] = {}
    try:
        changes = stack.up(lab, stack_name)
        for graph, url in report.frontends(lab).items():
            answers[graph] = answer.first_answer(url)
    finally:
        for table in (report.pods_table(lab), report.graphs_table(lab, answers)):
            if table.row_count:
                console.print(table)
    for each in answers.values():
        console.print(report.shown_answer(each), highlight=False, soft_wrap=True)
    done = [f"{number} {_PAST.get(kind, kind)}" for kind, number in changes.items() if kind != "same"]
    summary = ", ".join(done) or "no change"
    console.print(f"\nstack {stack_name}: {summary}; {time.monotonic() - started:.0f} s in all\n")
    console.print(_NEXT)


@app.command()
def down(stack_name: StackName = "dev") -> None:
    """Destroy the stack, then the cluster, then the lab's folder."""
    lab = LabDirectory.default()
    if not lab.root.exists():
        _say("there is no lab")
        return
    is_up = (lab.bin / "pulumi").exists() and control_plane.is_running(lab)
    if is_up and not stack.destroy(lab, stack_name):
        _say(f"stack {stack_name} could not be destroyed (see above); the cluster goes anyway, and all in it")
    cluster.down(lab)
    shutil.rmtree(lab.root)
    _say("the lab is gone: no process, no cluster, no state")


@app.command()
def rehearse(stack_name: Annotated[str, typer.Argument(metavar="STACK")]) -> None:
    """Play one stack from preview to destroy, from a copy of its file, in a lab of its own."""
    unwind_when_interrupted()
    started = time.monotonic()
    done: list[rehearsal.Step] = []

    def finish(steps: Iterable[rehearsal.Step]) -> None:
        for step in steps:
            _say(f"{step.name}: {step.seconds:.0f} s" + (f", {step.changes}" if step.changes else ""))
            done.append(step)

    try:
        with rehearsal.rehearsal(stack_name) as run:
            finish(run.building(_say))
            console.print(report.pods_table(run.lab))
            console.print(report.graphs_table(run.lab))
            finish(run.removing())
            left = run.left()
    finally:
        console.print(report.steps_table(stack_name, done))
    for each in left:
        _say(f"left in the account: {each}")
    console.print(f"\nstack {stack_name} is rehearsed (simulated); {time.monotonic() - started:.0f} s in all")


@app.command()
def env() -> None:
    """Print the sealed environment as shell exports."""
    print(exports(LabDirectory.default()))


@app.command()
def shell() -> None:
    """Open a shell in the sealed environment."""
    lab = LabDirectory.default()
    cluster.prepare(lab, _say)
    if not control_plane.is_running(lab):
        _say("no simulated cluster runs yet: type `make lab-up`, here or in another shell")
    program = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
    variables = sealed_environment(lab) | {"PS1": "(lab) \\w $ "}
    # The shell replaces this process and gets only the sealed variables.
    os.execve(program, [program, "--norc"] if program.endswith("bash") else [program], variables)  # noqa: S606 - a shell is what was asked for


def _say(line: str) -> None:
    console.print(f"[dim]lab:[/dim] {line}", highlight=False)


def main() -> int:
    """Runs a command; what a person can act on is printed without a traceback, with exit code 1."""
    try:
        app(standalone_mode=False)
    except (LabError, ToolBuildError, GoNotAvailableError) as error:
        # What pulumi said may hold brackets, which would be taken for markup.
        console.print(f"[red]lab:[/red] {escape(str(error))}", highlight=False, markup=True)
        return 1
    except TyperException as error:
        # Without a command the help has been printed, and there is nothing more to say.
        if message := error.format_message():
            console.print(f"[red]lab:[/red] {escape(message)}\n  try: python -m lab --help", highlight=False)
        return error.exit_code
    except OSError as error:
        if error.filename is None:
            raise
        # A folder that cannot be written, a full disk: the person's to mend, and not to be debugged.
        console.print(f"[red]lab:[/red] {escape(f'{error.filename}: {error.strerror}')}", highlight=False)
        return 1
    except typer.Exit as ended:
        return ended.exit_code
    except (typer.Abort, KeyboardInterrupt):
        console.print(f"\nlab: {SAID}")
        return INTERRUPTED
    return 0
