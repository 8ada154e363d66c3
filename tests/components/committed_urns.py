"""The URNs of every shipped stack, as lists to review: a changed one replaces what is deployed.

After a change that is meant, write them again and look at the diff:

    .venv/bin/python -m tests.components.committed_urns
"""

from pathlib import Path

from lab.directory import REPOSITORY
from stacks.stack_files import list_stacks
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

PROJECT = "dynamo-stack"
FOLDER = Path(__file__).parent / "urns"


def committed_urns(name: str) -> list[str]:
    """The list of a stack."""
    return _file(name).read_text(encoding="utf-8").split()


def recorded_urns(name: str) -> list[str]:
    """What the program registers now, sorted."""
    urns = [resource.urn for resource in recorded_stack(shipped_stack(name))]
    # The engine's own: the provider through which the program reads what the last run recorded as fixed.
    return sorted([*urns, f"urn:pulumi:{name}::{PROJECT}::pulumi:providers:pulumi::default"])


def _file(name: str) -> Path:
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    for stack in list_stacks(REPOSITORY):
        _file(stack).write_text("\n".join(recorded_urns(stack)) + "\n", encoding="utf-8")
