"""Each recipe on every line that it names and the lab simulates: installed, deployed and taken down.

On the line of its stack, tests/dev_stack and tests/rehearsals deploy the recipes of dev, disagg-b200 and
disagg-gb200. What the other stacks ask of AWS is played in process (test_aws_requests), and the runtime's own
parsers read their command lines (tests/serving/test_command_lines.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.charts import CHARTS, PLATFORM
from lab.directory import REPOSITORY
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
STACK_FILES = sorted(REPOSITORY.glob("Pulumi.*.yaml"))
# A stack for each recipe that stands on more lines than its stacks' own.
STACKS = ("agg-gb200", "disagg-b200", "vllm-agg-b200")
WITHOUT_A_STACK = "gpt-oss-20b/trtllm-agg"
"""The recipe that no stack file serves: deployed in place of the one of stack dev, on each of its lines."""


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
        if settings["serving"]["recipe"] != recipe.name:
            del settings["serving"]["kvTransport"]
            settings["serving"] |= {"recipe": recipe.name, "pool": "b200"}

    with rehearsed(lab, folder, name, change) as stack:
        stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")
        by_role = pods_of(lab, recipe.graph_name, NAMESPACE)
        pods = [pod for of_role in by_role.values() for pod in of_role]
        assert {service.role for service in recipe.services} == set(by_role)
        assert {pod["status"]["phase"] for pod in pods} == {"Running"}
        images = {each["image"].rpartition(":")[2] for pod in pods for each in pod["spec"]["containers"]}
        assert images == {version}


def test_every_recipe_of_several_lines_is_deployed_here() -> None:
    of_several = {name for name in recipe_names() if len(load_recipe(name).runtime.platform_lines) > 1}
    assert of_several == {WITHOUT_A_STACK, *(_recipe(stack).name for stack in STACKS)}
    served = {committed_settings(file.stem.partition(".")[2])["serving"]["recipe"] for file in STACK_FILES}
    assert {name for name in recipe_names() if name not in served} == {WITHOUT_A_STACK}


@pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name in STACKS for version in _others(name)]
)
def test_a_stack_is_deployed_on_every_line_that_its_recipe_names(
    name: str, version: str, lab: Sandbox, tmp_path: Path
) -> None:
    _deployed(lab, tmp_path, name, _recipe(name), version)


@pytest.mark.parametrize("version", _releases(load_recipe(WITHOUT_A_STACK)))
def test_a_recipe_that_no_stack_file_serves_is_deployed_on_its_lines(
    version: str, lab: Sandbox, tmp_path: Path
) -> None:
    _deployed(lab, tmp_path, "dev", load_recipe(WITHOUT_A_STACK), version)
