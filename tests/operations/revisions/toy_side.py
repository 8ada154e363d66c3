"""The code of a side, small: its `record` command prints what a file beside the stacks says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.operations.revisions.repositories import TestRepository

MAIN = """
import json, os, sys
from pathlib import Path

def main():
    arguments = sys.argv[1:]
    over = None
    if "--over" in arguments:
        over = json.loads(Path(arguments[arguments.index("--over") + 1]).read_text())
    names = [each for each in arguments[1:] if not each.startswith("--") and not each.startswith("/")]
    {body}
    said = {{
        "names": names,
        "over": None if over is None else [each["name"] for each in over["unread"]],
        "environment": dict(os.environ),
        "home": os.listdir(os.environ["HOME"]),
        "text": Path("Pulumi.dev.yaml").read_text() if Path("Pulumi.dev.yaml").exists() else "",
    }}
    unread = [{{"name": name, "reason": json.dumps(said)}} for name in names]
    print(json.dumps({{
        "schemaVersion": 1, "label": "x", "commit": None, "notes": [], "recorded": [], "unread": unread
    }}))
"""
"""What the command is told comes back as the reason of every stack."""


def write_code(root: Path, body: str = "pass") -> None:
    """Write the code of a side into a folder."""
    for name in ("cli", "stacks"):
        (root / name).mkdir(exist_ok=True)
        (root / name / "__init__.py").touch()
    (root / "cli/main.py").write_text(MAIN.format(body=body))
    (root / "cli/record.py").touch()
    (root / "requirements.txt").write_text("# nothing\n")
    (root / "Pulumi.yaml").write_text("name: dynamo-stack\n")


def commit_side(repository: TestRepository, stack: str = "a: 1\n", body: str = "pass") -> str:
    """Commit a side with one stack, dev."""
    write_code(repository.root, body)
    (repository.root / "Pulumi.dev.yaml").write_text(stack)
    return repository.commit()
