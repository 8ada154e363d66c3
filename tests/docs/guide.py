"""Parts of a page that a test holds against what there is."""

import re
import shlex
from typing import Any

import yaml

from lab.directory import REPOSITORY


def text_of(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


def console(page: str, start: str) -> tuple[list[str], list[str]]:
    """The words of the first command that starts so, and the lines that the page shows after it."""
    form = rf"^\$ dynamo-stack ({re.escape(start)}[^\n]*)\n(.*?)^(?:\$ |```)"
    found = re.search(form, text_of(page), re.DOTALL | re.MULTILINE)
    assert found is not None, start
    return shlex.split(found[1], comments=True), found[2].splitlines()


def table(page: str, heading: str) -> list[str]:
    """The first cells of the first table after a heading, or after the heading of the table itself."""
    rows = text_of(page).partition(heading)[2].partition("\n|---")[2].partition("\n\n")[0].splitlines()[1:]
    return [row.split("|")[1].strip() for row in rows]


def words(text: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`]+)`", text)


def yaml_blocks(page: str) -> list[Any]:
    return [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", text_of(page), re.DOTALL)]
