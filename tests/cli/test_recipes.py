"""`dynamo-stack recipes show` and `new`, and recipes of a folder of one's own in `list` and `explain`."""

import re
import shlex
from pathlib import Path

import pytest

from recipes.load import load_recipe, parse_recipe, recipe_file, recipe_names
from tests.cli.command import Command, merged, write_stack
from tests.support.dev_settings import agg_gb200_settings

AGGREGATED, DISAGGREGATED = "gpt-oss-120b/trtllm-agg", "gpt-oss-120b/trtllm-disagg"
LINES_OF_A_SCREEN = 50


def _stack(folder: Path, **serving: object) -> None:
    write_stack(folder, merged(agg_gb200_settings(), {"serving": serving}), name="mine")


def _new(command: Command, name: str, folder: Path, original: str = AGGREGATED) -> Path:
    answer = command("recipes", "new", name, "--from", original, "--folder", folder / "ours", folder=folder)
    assert (answer.code, answer.err) == (0, "")
    return folder / "ours" / f"{name}.yaml"


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_is_shown_on_one_screen(command: Command, name: str) -> None:
    answer, recipe = command("recipes", "show", name), load_recipe(name)
    assert answer.code == 0
    assert len(answer.out.splitlines()) <= LINES_OF_A_SCREEN
    for service in recipe.services:
        assert service.service_name in answer.out
    if recipe.corrections:
        assert (
            f"{len(recipe.corrections)} published values stand otherwise here: recipes/catalogue/"
            in answer.out
        )


def test_the_options_of_both_roles_stand_side_by_side(command: Command) -> None:
    lines = [line.split() for line in command("recipes", "show", DISAGGREGATED).out.splitlines()]
    assert ["ENGINE", "OPTION", "PREFILL", "DECODE"] in lines
    assert ["max_batch_size", "64", "1280"] in lines
    assert ["kv_cache_config.dtype", "fp8", "fp8"] in lines
    assert ["allreduce_strategy", "AUTO"] in lines


def test_a_recipe_that_no_known_node_holds_says_so(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.recipes.usable_accelerators", lambda _recipe: ())
    last = command("recipes", "show", AGGREGATED).out.splitlines()[-1]
    assert last.split(maxsplit=2)[2] == "no known node has such GPUs and room for a worker"


def test_what_a_new_recipe_tells_to_type_next_shows_it(command: Command, tmp_path: Path) -> None:
    made = command(
        "recipes", "new", "ours/copy", "--from", AGGREGATED, "--folder", "our recipes", folder=tmp_path
    )
    [typed] = re.findall(r"then: `dynamo-stack (recipes show [^`]*)`", made.out)
    shown = command(*shlex.split(typed), folder=tmp_path)
    assert (shown.code, shown.err) == (0, "")
    assert "ours/copy" in shown.out
    lost = command("recipes", "show", "ours/cpy", "--folder", "our recipes", folder=tmp_path)
    assert (lost.code, lost.out) == (2, "")
    assert "recipes: RECIPE = 'ours/cpy'" in lost.err
    assert "try: ours/copy" in lost.err


def test_a_copy_has_all_but_what_was_tried_and_tells_editors_where_the_schema_is(
    command: Command, tmp_path: Path
) -> None:
    file = _new(command, "ours/copy", tmp_path)
    text, recipe = file.read_text(encoding="utf-8"), load_recipe(AGGREGATED)
    assert recipe.evidence
    assert parse_recipe(text) == recipe.model_copy(
        update={"name": "ours/copy", "validated_on": (), "evidence": ()}
    )
    original = recipe_file(AGGREGATED).read_text(encoding="utf-8").splitlines()
    comments = [line for line in original[1:] if line.startswith("#") or " # " in line]
    assert [line for line in comments if line not in text.splitlines()] == []
    schema = file.parent / text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    assert schema.resolve().name == "recipe.schema.json"
    assert schema.is_file()


@pytest.mark.parametrize(
    ("name", "original", "said"),
    [
        (AGGREGATED, AGGREGATED, "the catalogue has a recipe of this name"),
        ("../copy", AGGREGATED, "not a name for a recipe"),
        ("a/b/c", AGGREGATED, "not a name for a recipe"),
        ("Copy", AGGREGATED, "small letters, digits"),
        ("copy", "gpt-oss-120b/trtllm-ag", f"try: {AGGREGATED}"),
    ],
)
def test_what_cannot_be_copied_writes_nothing(
    command: Command, tmp_path: Path, name: str, original: str, said: str
) -> None:
    answer = command(
        "recipes", "new", name, "--from", original, "--folder", tmp_path / "ours", folder=tmp_path
    )
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(command: Command, tmp_path: Path) -> None:
    file = _new(command, "copy", tmp_path)
    file.write_text("# mine\n")
    arguments = ("recipes", "new", "copy", "--from", AGGREGATED, "--folder", tmp_path / "ours")
    answer = command(*arguments, folder=tmp_path)
    assert answer.code == 2
    assert "exists, and nothing is overwritten" in answer.err
    assert file.read_text() == "# mine\n"


def test_a_stack_serves_a_recipe_of_its_own_folder(command: Command, tmp_path: Path) -> None:
    file = _new(command, "ours/long", tmp_path)
    text = file.read_text().replace("\n      max_batch_size: 800", "\n      max_batch_size: 640")
    file.write_text(text.replace("        max_batch_size: 800", "        max_batch_size: 640"))
    _stack(tmp_path, recipe="ours/long", recipeFolder="ours")
    assert "max_batch_size: 640" in command("render", "mine", folder=tmp_path).out
    assert command("explain", "mine", folder=tmp_path).code == 0
    listed = command("list", folder=tmp_path).out
    assert "RECIPE OF ours" in listed
    [stack, recipe] = [line.split() for line in listed.splitlines() if "ours/long" in line]
    assert stack[:4] == ["mine", "ours/long", "4", "GB200"]
    assert recipe[:2] == ["ours/long", "4"]
    assert "mock-served" not in listed.partition("RECIPE OF ours")[2]


def test_a_recipe_of_ones_own_that_is_wrong_is_listed_and_hides_no_other(
    command: Command, tmp_path: Path
) -> None:
    file = _new(command, "wrong", tmp_path)
    _new(command, "right", tmp_path)
    file.write_text(file.read_text().replace("\ntraffic:", "\ntrafic:"))
    _stack(tmp_path, recipe="right", recipeFolder="ours")
    listed = command("list", folder=tmp_path)
    assert listed.code == 0
    assert "cannot be used" in next(line for line in listed.out.splitlines() if line.startswith("wrong"))
    assert "ours/wrong.yaml: traffic;   is missing" in listed.out
    assert command("explain", "mine", folder=tmp_path).code == 0
    _stack(tmp_path, recipe="wrong", recipeFolder="ours")
    for asked in (("explain", "mine"), ("recipes", "show", "wrong", "--folder", "ours")):
        answer = command(*asked, folder=tmp_path)
        assert (answer.code, answer.out) == (2, "")
        assert "ours/wrong.yaml: trafic" in answer.err
        assert "try: traffic" in answer.err
