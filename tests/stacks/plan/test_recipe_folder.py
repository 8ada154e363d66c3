"""A folder with recipes of one's own, named in the settings."""

from pathlib import Path

import pytest

from recipes.files import copied_recipe
from recipes.load import recipe_file
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import parse_settings
from tests.stacks.changed_settings import changed
from tests.support.dev_settings import FILE, agg_gb200_settings

AGGREGATED = "gpt-oss-120b/trtllm-agg"


def _copy(folder: Path, name: str, called: str) -> None:
    file = folder / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = recipe_file(AGGREGATED).read_text(encoding="utf-8")
    file.write_text(copied_recipe(text, original=AGGREGATED, name=called, file=file), encoding="utf-8")


def _stack(directory: Path, recipe: str, folder: str = "ours") -> StackPlan:
    typed = {"serving.recipe": recipe, "serving.recipeFolder": folder}
    return resolve("mine", parse_settings(changed(agg_gb200_settings(), typed), FILE), FILE, directory)


@pytest.mark.parametrize("name", ["mine", "gpt-oss-120b/mine"])
def test_the_path_begins_at_the_stack_s_file(tmp_path: Path, name: str) -> None:
    _copy(tmp_path / "ours", name, name)
    (tmp_path / "stacks").mkdir()
    assert _stack(tmp_path / "stacks", name, "../ours").serving.placed.recipe.name == name


def test_the_catalogue_is_there_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    assert _stack(tmp_path, AGGREGATED).serving.placed.recipe.name == AGGREGATED


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        _stack(tmp_path, "mine")
    text = f"{FILE}: serving.recipeFolder = 'ours'\n  there is no such folder in {tmp_path}"
    assert str(refused.value) == text


@pytest.mark.parametrize(
    ("file", "called", "typed", "says"),
    [
        pytest.param(
            "ours/long-prompts",
            "ours/long-prompts",
            "ours/long-prompt",
            (
                f"serving.recipe = 'ours/long-prompt'\n  no recipe has this name\n  allowed: {AGGREGATED}, ",
                "try: ours/long-prompts",
            ),
            id="a name that neither has, with the nearest of both",
        ),
        pytest.param(
            AGGREGATED,
            AGGREGATED,
            AGGREGATED,
            (f"ours/{AGGREGATED}.yaml: name = '{AGGREGATED}'\n  the catalogue has a recipe of this name",),
            id="a name of the catalogue",
        ),
        pytest.param(
            "mine",
            "other",
            "mine",
            ("ours/mine.yaml: name = 'other'\n  not the name of its file\n  allowed: mine",),
            id="a name that is not its file's",
        ),
    ],
)
def test_a_recipe_of_one_s_own_that_cannot_be_found_is_named(
    tmp_path: Path, file: str, called: str, typed: str, says: tuple[str, ...]
) -> None:
    _copy(tmp_path / "ours", file, called)
    with pytest.raises(SettingsError) as refused:
        _stack(tmp_path, typed)
    for part in says:
        assert part in str(refused.value)
