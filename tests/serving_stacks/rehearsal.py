"""What a shipped stack serves, rehearsed on the lab's cluster, which exists already and has its nodes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.environment import CONTEXT
from tests.conftest import copy_project
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox
from tests.support.shipped_stacks import SETTINGS, served_settings

DELETE_SECONDS = "60s"


@contextmanager
def rehearsed(
    lab: Sandbox, folder: Path, name: str, change: Callable[[dict[str, Any]], None] | None = None
) -> Iterator[LabStack]:
    """The stack, up in the lab with the policy pack; whatever is left of it goes at the end.

    `change` edits the settings; without it the stack serves as shipped.
    """
    with prepared(lab, folder, name, change) as stack:
        # The policies judge the update as they would the preview.
        stack.up("--skip-preview")
        yield stack


@contextmanager
def prepared(
    lab: Sandbox, folder: Path, name: str, change: Callable[[dict[str, Any]], None] | None = None
) -> Iterator[LabStack]:
    """The same stack before its first `up`, for a test that lets this one fail."""
    stack = prepare(lab, folder, name, change)
    try:
        yield stack
    finally:
        _remove(stack, stack.settings()["config"][SETTINGS])


def prepare(
    lab: Sandbox, folder: Path, name: str, change: Callable[[dict[str, Any]], None] | None = None
) -> LabStack:
    """The same again, of which nothing is removed: for a cluster that goes as a whole."""
    stack = LabStack(lab, copy_project(folder / name), name)
    content = stack.settings()
    settings = content["config"][SETTINGS] = served_settings(name, CONTEXT)
    if change is not None:
        change(settings)
    stack.write_settings(content)
    lab.pulumi("stack", "init", name, cwd=stack.project)
    return stack


def _remove(stack: LabStack, settings: dict[str, Any]) -> None:
    # A production stack protects what holds data, and leaves it behind; the next test wants an empty cluster.
    stack.pulumi("cancel", "--yes", check=False)
    stack.lab.pulumi(
        "state", "unprotect", "--all", "--yes", "--stack", stack.name, cwd=stack.project, check=False
    )
    stack.pulumi("destroy", "--yes")
    stack.pulumi("stack", "rm", "--yes", "--preserve-config")
    namespaces = [_namespace_name(settings["serving"]["namespace"])]
    if settings["platform"]["kind"] == "own":
        namespaces.append(_namespace_name(settings["platform"].get("namespace", "dynamo-system")))
    stack.lab.kubectl("delete", "namespace", *namespaces, "--ignore-not-found", f"--timeout={DELETE_SECONDS}")


def _namespace_name(typed: str | dict[str, str]) -> str:
    return typed if isinstance(typed, str) else typed["name"]
