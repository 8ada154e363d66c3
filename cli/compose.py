"""`dynamo-stack compose`: a stack for one host with Docker Compose, without Kubernetes."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli.output import say
from cli.own_files import write_files
from cli.stack_argument import StackArgument
from cli.yaml_text import as_comment, to_yaml
from compose.one_host import several_hosts, several_servers
from compose.project import COMPOSE_FILE, compose_project
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
    for each in files:
        (folder / each).chmod(_READABLE_FILE)
        (folder / each).parent.chmod(_READABLE_FOLDER)
    for line in (f"{len(files)} files in {folder}: {', '.join(files)}", *_left_out(plan)):
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
