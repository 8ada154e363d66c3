"""The releases and lines of the platform, and docs/versions.md, which says what is known of them."""

import pytest

from recipes.load import load_recipe, recipe_names
from stacks.plan.versions import PLATFORM_LINES
from stacks.plan.versions_document import DOCUMENT, versions_document


def test_the_committed_page_is_the_one_that_the_tables_give() -> None:
    found = DOCUMENT.read_text(encoding="utf-8")
    assert found == versions_document(), "run `python -m stacks.plan.versions_document`"


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_is_refused_on_the_page_exactly_where_it_does_not_stand(name: str) -> None:
    [row] = [line for line in versions_document().splitlines() if line.startswith(f"| {name} |")]
    cells = row.strip("| ").split(" | ")[1 : 1 + len(PLATFORM_LINES)]
    lines = load_recipe(name).runtime.platform_lines
    stands = [line for line, cell in zip(PLATFORM_LINES, cells, strict=True) if cell[0].isdigit()]
    assert stands == list(lines)
