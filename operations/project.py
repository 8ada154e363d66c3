"""Finds the stack files, and a stack's resources."""

# ruff: noqa: PLC0415
# Each command imports what it needs when it runs: Pulumi's SDK alone takes longer to load than `list` runs.

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from operations.errors import CommandError
from resource_graph import ResourceGraph, Value
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import TOKEN_KEY, load_stack
from stacks.settings.yaml_file import parse_yaml
from stacks.stack_files import PROJECT_FILE, project_above, stack_directory
from stacks.updates.planned_update import FIRST, Update

PROJECT = "dynamo-stack"


def project_directory() -> Path:
    """The folder of the Pulumi project that the stack files belong to; CommandError where there is none."""
    start = stack_directory(Path.cwd())
    found = project_above(start)
    if found is None:
        raise CommandError(
            f"there is no {PROJECT_FILE} in {start} or above it\n"
            "  try: run this in the checkout that the stack was deployed from"
        )
    return found


def resolved_stack(name: str) -> StackPlan:
    """The stack with every decision made; SettingsError where its file is missing or cannot be used."""
    directory = stack_directory(Path.cwd())
    return resolve(name, load_stack(name, directory), f"Pulumi.{name}.yaml", directory)


def recorded_stack(stack: StackPlan, update: Update = FIRST, token: str = "") -> ResourceGraph:
    """The program's resources of the stack; its token is never decrypted, only known to be there.

    Args:
        stack: every decision.
        update: what happens to what runs, which decides how some resources are registered.
        token: stands in the token's place where the stack has one.

    """
    import pulumi

    from resource_graph.recorder import record
    from stacks.program.deploy_stack import deploy

    file = stack_directory(Path.cwd()) / stack.source
    # A stack that was made up has no file; of one with a file the settings are in it.
    config = stack_config(file) if file.is_file() else {}

    def program() -> None:
        deploy(stack, pulumi.Output.secret(token) if TOKEN_KEY in config else None, update)

    return record(program, project=PROJECT, stack=stack.name)


def stack_config(file: Path) -> Mapping[str, Mapping[str, Value]]:
    """Return what stands below `config` in the file of a stack whose settings could be read."""
    document = parse_yaml(file.read_text(encoding="utf-8"))
    return cast("Mapping[str, Mapping[str, Mapping[str, Value]]]", document)["config"]
