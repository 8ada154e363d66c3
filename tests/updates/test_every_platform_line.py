"""A recipe of each engine on every line that it names and the lab simulates: installed, deployed, taken down.

On the line of its stack, tests/dev_stack and tests/rehearsals deploy the recipes of dev, disagg-b200 and
disagg-gb200. What the other stacks ask of AWS is played in process (test_aws_requests), and the runtime's own
parsers read their command lines (tests/serving/test_command_lines.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.charts import CHARTS, PLATFORM
from recipes.load import load_recipe, recipe_names
from stacks.plan.versions import PLATFORM_RELEASES
from tests.serving_stacks.pods import pods_of
from tests.serving_stacks.rehearsal import rehearsed
from tests.support.shipped_stacks import committed_settings

if TYPE_CHECKING:
    from pathlib import Path

    from recipes.model import Recipe
    from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE = "gpt-oss"
# A stack for each engine whose recipes stand on more lines than their stacks' own.
STACKS = ("disagg-b200", "vllm-agg-b200")


def _recipe(stack: str) -> Recipe:
    return load_recipe(committed_settings(stack)["serving"]["recipe"])


def _others(stack: str) -> list[str]:
    """The releases of the lines that the stack's recipe names, but for the stack's own."""
    own = committed_settings(stack)["platform"]["version"]
    return [version for version in _releases(_recipe(stack)) if version != own]


def _releases(recipe: Recipe) -> list[str]:
    lines = recipe.runtime.platform_lines
    simulated = {chart.version for chart in CHARTS if chart.name == PLATFORM}
    return [
        version for version, each in PLATFORM_RELEASES.items() if each.line in lines and version in simulated
    ]


def _deployed(lab: Sandbox, folder: Path, name: str, recipe: Recipe, version: str) -> None:
    """Bring a stack up with the recipe and the release, and find its pods with the release's images."""

    def change(settings: dict[str, Any]) -> None:
        settings["platform"]["version"] = version

    with rehearsed(lab, folder, name, change) as stack:
        stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
        by_role = pods_of(lab, recipe.graph_name, NAMESPACE)
        pods = [pod for of_role in by_role.values() for pod in of_role]
        assert {service.role for service in recipe.services} == set(by_role)
        assert {pod["status"]["phase"] for pod in pods} == {"Running"}
        images = {each["image"].rpartition(":")[2] for pod in pods for each in pod["spec"]["containers"]}
        assert images == {version}


def test_a_recipe_of_each_engine_that_stands_on_several_lines_is_deployed_here() -> None:
    recipes = [load_recipe(name) for name in recipe_names()]
    of_several = {each.framework for each in recipes if len(each.runtime.platform_lines) > 1}
    assert of_several == {_recipe(stack).framework for stack in STACKS}


@pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name in STACKS for version in _others(name)]
)
def test_a_stack_is_deployed_on_every_line_that_its_recipe_names(
    name: str, version: str, lab: Sandbox, tmp_path: Path
) -> None:
    _deployed(lab, tmp_path, name, _recipe(name), version)
