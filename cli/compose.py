"""`dynamo-stack compose`: a stack for one host with Docker Compose, without Kubernetes."""

import shlex
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli.output import say
from cli.own_files import is_own, write_files
from cli.stack_argument import StackArgument
from cli.yaml_text import as_comment, to_yaml
from compose.one_host import several_hosts, several_servers
from compose.project import COMPOSE_FILE, compose_project
from compose.workers import ENGINE_FOLDER
from operations.project import resolved_stack
from stacks.errors import SettingsError
from stacks.plan.stack_plan import StackPlan

MARK = "# Written by `dynamo-stack compose`; changes are overwritten."
_READABLE_FILE, _READABLE_FOLDER = 0o644, 0o755
"""Containers read these files as users of their own, whatever the umask of the person who wrote them."""


def compose(
    stack: StackArgument,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Write into this directory; else into compose-STACK here."),
    ] = None,
) -> None:
    """Write the compose file and what lies beside it, or nothing of it."""
    plan = resolved_stack(stack)
    problem = several_hosts(plan) or several_servers(plan)
    if problem is not None:
        raise SettingsError({plan.source: [problem]})
    document, beside = compose_project(plan)
    folder = to or Path(f"compose-{stack}")
    files = {COMPOSE_FILE: _heading(plan) + to_yaml(document), **beside}
    write_files(folder, files, MARK, suggestion="move it, or name another folder with --to")
    for file in (folder / each for each in files):
        file.chmod(_READABLE_FILE)
        # The folder itself is the person's, and no container sees it.
        if file.parent != folder:
            file.parent.chmod(_READABLE_FOLDER)
    written = f"{len(files)} files in {folder}: {', '.join(files)}"
    for line in (written, *_left_over(folder, files), *_left_out(plan)):
        say(line)
    say(f"next: cd {shlex.quote(str(folder))} && cp .env.example .env && docker compose up --detach --wait")


def _heading(stack: StackPlan) -> str:
    placed = stack.serving.placed
    lines = [
        f"Stack {stack.name}: recipe {placed.recipe.name} on one host.",
        "Docker Compose 2.24 or later and the NVIDIA Container Toolkit; docs/compose.md says the rest.",
        *_left_out(stack),
    ]
    return as_comment("\n".join(lines))


def _left_over(folder: Path, files: Container[str]) -> Iterator[str]:
    """Yield the files of an earlier run alone; they stay, for one may be a copy of the person's own."""
    there = (*folder.glob("*.conf"), *folder.glob(f"{ENGINE_FOLDER}/*"))
    own = sorted(str(each.relative_to(folder)) for each in there if is_own(each, MARK))
    left = [each for each in own if each not in files]
    if left:
        yield f"Left by an earlier run, and no longer used: {', '.join(left)}. Delete what you do not keep."


def _left_out(stack: StackPlan) -> Iterator[str]:
    """Yield what the stack says of a cluster and a host does otherwise."""
    placed = stack.serving.placed
    frontends = sum(service.replicas for service in placed.services if service.role == "frontend")
    if frontends > 1:
        yield f"Not as in the stack: one frontend in place of {frontends}; only one can have the host's port."
    if placed.kv_transport is not None and placed.kv_transport.name != "nvlink":
        yield (
            f"Not as in the stack: in place of kvTransport {placed.kv_transport.name} prefill and decode "
            "share a container, where CUDA IPC carries the KV cache over NVLink."
        )
