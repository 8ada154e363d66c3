"""What shipped stacks ask of AWS, as lists to review: a new line is a right that their operators need.

One list for stacks whose nodes are in the region's own zones, one for those with nodes in a Local Zone.

After a change that is meant, write them again and look at the diff:

    .venv/bin/python -m tests.stacks.plan.infrastructure.committed_operations
"""

import tempfile
from collections import Counter
from pathlib import Path

from hardware import is_local_zone
from lab.directory import REPOSITORY
from stacks.stack_files import list_stacks
from tests.support.shipped_stacks import shipped_settings
from tests.support.simulated_account import Life, Request, live

FOLDER = Path(__file__).parent / "operations"


def eks_stacks() -> list[str]:
    """The shipped stacks that make their own cluster."""
    return [name for name in list_stacks(REPOSITORY) if shipped_settings(name)["cluster"]["kind"] == "eks"]


def is_write(operation: str) -> bool:
    """Whether an operation may change something; others only read."""
    return not operation.startswith(("Describe", "List", "Get", "Check"))


def committed_operations(name: str) -> str:
    """The list of a stack."""
    return list_of(name).read_text(encoding="utf-8")


def list_of(name: str) -> Path:
    """The file with the list of a stack."""
    local = any(is_local_zone(pool["zone"]) for pool in shipped_settings(name)["nodePools"])
    return FOLDER / ("nodes-in-a-local-zone.txt" if local else "nodes-in-the-region.txt")


def operations_of(life: Life) -> str:
    """What changes something, by the command that asks for it, with how often."""
    parts = {"up": life.up, "up again": life.up_again, "lift protection": life.lift, "destroy": life.destroy}
    return "\n".join(_listed(command, requests) for command, requests in parts.items())


def _listed(command: str, requests: list[Request]) -> str:
    written = [request for request in requests if is_write(request["operation"])]
    counts = Counter(f"{request['service']}:{request['operation']}" for request in written)
    return "".join((f"{command}\n", *(f"{count:4} {name}\n" for name, count in sorted(counts.items()))))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, stack in {list_of(each): each for each in eks_stacks()}.items():
        with tempfile.TemporaryDirectory() as folder:
            made = live(shipped_settings(stack), Path(folder) / "cloud")
        file.write_text(operations_of(made), encoding="utf-8")
