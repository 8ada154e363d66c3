"""docs/versions.md beside the releases of the platform and the recipes."""

import pytest

from engines.release import line_name
from lab.directory import REPOSITORY
from recipes.load import load_recipe, recipe_names
from stacks.plan.versions import PLATFORM_RELEASES

PAGE = (REPOSITORY / "docs" / "versions.md").read_text(encoding="utf-8")


def test_the_page_names_the_releases_that_there_are() -> None:
    assert f"that this project knows: {', '.join(PLATFORM_RELEASES)}." in PAGE


@pytest.mark.parametrize("name", recipe_names())
def test_the_page_says_what_a_recipe_has_on_each_line(name: str) -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| {name} |")]
    runtime = load_recipe(name).runtime
    absent = "refused" if runtime.platform_lines else "no platform"
    lines = [line_name(release) for release in PLATFORM_RELEASES]
    tags = [runtime.version_on(line) if line in runtime.platform_lines else absent for line in lines]
    assert row.strip("| ").split(" | ")[1:] == [
        *tags,
        *([runtime.line_of_new_stacks] if runtime.platform_lines else []),
    ]
