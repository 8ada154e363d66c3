"""A folder with recipes of one's own, named in the settings."""

from pathlib import Path
from typing import Any

import pytest

from recipes.files import copied_recipe
from recipes.load import recipe_file
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.settings.load import parse_settings
from tests.support.dev_settings import FILE, agg_gb200_settings

AGGREGATED = "gpt-oss-120b/trtllm-agg"


def _copy(folder: Path, name: str, called: str | None = None) -> None:
    file = folder / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = recipe_file(AGGREGATED).read_text(encoding="utf-8")
    file.write_text(
        copied_recipe(text, original=AGGREGATED, name=called or name, file=file), encoding="utf-8"
    )


def _settings(recipe: str, folder: str = "ours") -> dict[str, Any]:
    settings = agg_gb200_settings()
    settings["serving"] |= {"recipe": recipe, "recipeFolder": folder}
    return settings


def _refused(settings: dict[str, Any], directory: Path) -> str:
    with pytest.raises(SettingsError) as refused:
        resolve("mine", parse_settings(settings, FILE), FILE, directory)
    return str(refused.value)


@pytest.mark.parametrize("name", ["mine", "gpt-oss-120b/mine"])
def test_the_path_begins_at_the_stack_s_file(tmp_path: Path, name: str) -> None:
    _copy(tmp_path / "ours", name)
    (tmp_path / "stacks").mkdir()
    settings = _settings(name, "../ours")
    stack = resolve("mine", parse_settings(settings, FILE), FILE, tmp_path / "stacks")
    assert stack.serving.placed.recipe.name == name


def test_the_catalogue_is_there_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    stack = resolve("mine", parse_settings(_settings(AGGREGATED), FILE), FILE, tmp_path)
    assert stack.serving.placed.recipe.name == AGGREGATED


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    said = _refused(_settings("mine"), tmp_path)
    assert said == f"{FILE}: serving.recipeFolder = 'ours'\n  there is no such folder in {tmp_path}"


def test_an_unknown_recipe_ends_with_the_nearest_of_both(tmp_path: Path) -> None:
    _copy(tmp_path / "ours", "ours/long-prompts")
    said = _refused(_settings("ours/long-prompt"), tmp_path)
    assert "serving.recipe = 'ours/long-prompt'\n  no recipe has this name" in said
    assert f"allowed: {AGGREGATED}, " in said
    assert said.endswith("try: ours/long-prompts")


def test_a_name_of_the_catalogue_is_taken(tmp_path: Path) -> None:
    _copy(tmp_path / "ours", AGGREGATED)
    said = _refused(_settings(AGGREGATED), tmp_path)
    assert f"ours/{AGGREGATED}.yaml: name = '{AGGREGATED}'\n  the catalogue has a recipe of this name" in said


def test_a_recipe_whose_name_is_not_its_file_s_is_refused(tmp_path: Path) -> None:
    _copy(tmp_path / "ours", "mine", called="other")
    said = _refused(_settings("mine"), tmp_path)
    assert "ours/mine.yaml: name = 'other'\n  not the name of its file\n  allowed: mine" in said
