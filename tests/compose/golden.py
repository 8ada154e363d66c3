"""Compose files as they are written, to review.

After a change that is meant, write them again and look at the diff:

    .venv/bin/python -m tests.compose.golden
"""

from pathlib import Path

from cli.yaml_text import to_yaml
from tests.compose.projects import SETTINGS, project

FOLDER = Path(__file__).parent / "golden"
STACKS = ("agg", "disagg")


def text(stack: str) -> str:
    """The compose file without its heading."""
    return to_yaml(dict(project(SETTINGS[stack]())[0]))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in STACKS:
        (FOLDER / f"{name}.yaml").write_text(text(name), encoding="utf-8")
