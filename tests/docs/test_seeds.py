"""docs/seeds: what the pages of the public documents name is there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from recipes.load import load_recipe, recipe_names
from stacks.stack_files import list_stacks
from tests.cli.command import ROOT, Command
from tests.support.shipped_stacks import shipped_stack

SEEDS = ROOT / "docs" / "seeds"
INDEX = (SEEDS / "README.md").read_text(encoding="utf-8")
PAGES = sorted(file.name for file in SEEDS.glob("*.md"))

_LINK = re.compile(r"\]\(([^)]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CORRECTION = re.compile(r"\b[SKD]\d{1,2}\b")
_RECORDED = re.compile(r"^  - id: ([SKD]\d{1,2})$", re.MULTILINE)
_RECIPE = re.compile(r"\bgpt-oss-\d+b/[a-z0-9-]+")
_STACK_FILE = re.compile(r"/Pulumi\.([a-z0-9-]+)\.yaml\)")


def text_of(page: str) -> str:
    """A page, by its path from docs/seeds."""
    return (SEEDS / page).read_text(encoding="utf-8")


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command of a page, in blocks and in sentences."""
    lines = [line for block in _CONSOLE.findall(text) for line in block.splitlines()]
    for line in [*(line.removeprefix("$ ") for line in lines), *_CODE.findall(text)]:
        yield shlex.split(line, comments=True)


def problem(words: list[str], command: Command) -> str | None:
    """What a person who types the words would be told; None where there is nothing."""
    stacks = list_stacks(ROOT)
    if "--stack" in words and words[words.index("--stack") + 1] not in stacks:
        return "no such stack"
    if words[:1] != ["dynamo-stack"]:
        return None
    if words[2:] and not words[2].startswith("-") and words[2] not in stacks:
        return "no such stack"
    # Options are read before the help is printed.
    answer = command(*words[1:], "--help")
    return answer.err if answer.code else None


def anchors(file: Path) -> set[str]:
    """The headings of a page as GitHub makes links of them."""
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_one_that_a_person_can_type(page: str, command: Command) -> None:
    wrong = {shlex.join(words): problem(words, command) for words in commands(text_of(page))}
    assert {line: text for line, text in wrong.items() if text is not None} == {}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_a_heading_of_it(page: str) -> None:
    for link in _LINK.findall(text_of(page)):
        name, _, heading = link.partition("#")
        file = SEEDS / name if name else SEEDS / page
        assert file.exists(), link
        assert not heading or heading in anchors(file), link


@pytest.mark.parametrize("page", PAGES)
def test_every_recipe_and_correction_is_there(page: str) -> None:
    text = text_of(page)
    assert {*_RECIPE.findall(text)} <= {*recipe_names()}
    recipes = {text_of(link) for link in _LINK.findall(text) if "/recipes/" in link}
    known = {number for recipe in recipes for number in _RECORDED.findall(recipe)}
    assert {*_CORRECTION.findall(text)} - known == set()


def test_the_index_says_of_each_stack_what_the_list_says() -> None:
    rows = [line for line in INDEX.splitlines() if _STACK_FILE.search(line)]
    assert rows
    for row in rows:
        [name] = _STACK_FILE.findall(row)
        stack = shipped_stack(name)
        [used] = [pool for pool in stack.pools if pool.used_gpus]
        recipe, gpu = stack.serving.placed.recipe, used.pool.instance_type.accelerator.name
        level = load_recipe(recipe.name).evidence_on(gpu).level.value
        assert row.endswith(f"| {gpu}: {level} |"), row
        assert f"/{recipe.name}.yaml)" in row, row
