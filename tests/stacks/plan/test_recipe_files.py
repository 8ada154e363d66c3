"""Recipe files, the catalogue's and those of a folder of one's own: mistakes are named with key and value."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recipes import load
from recipes.files import copied_recipe
from recipes.load import recipe_file
from stacks.errors import SettingsError
from stacks.plan.recipe_files import read_recipe, sound_recipes
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.settings.load import parse_settings
from tests.stacks.changed_settings import changed
from tests.support.dev_settings import FILE, agg_gb200_settings

AGGREGATED, DISAGGREGATED = "gpt-oss-120b/trtllm-agg", "gpt-oss-120b/trtllm-disagg"
WRONG = f"recipes/catalogue/{AGGREGATED}.yaml"


@pytest.fixture
def rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Put other words into the aggregated recipe of a copy of the catalogue."""
    catalogue = tmp_path / "recipes" / "catalogue"
    shutil.copytree(load.CATALOGUE, catalogue)
    monkeypatch.setattr(load, "CATALOGUE", catalogue)

    def rewrite(old: str, new: str) -> None:
        file = catalogue / f"{AGGREGATED}.yaml"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    load.load_recipe.cache_clear()
    yield rewrite
    load.load_recipe.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            "\nframework: tensorrt-llm",
            "\nframework: tensorrt-lm",
            f"{WRONG}: framework = 'tensorrt-lm'\n  no engine has this name\n  allowed: tensorrt-llm, vllm\n"
            "  try: tensorrt-llm",
            id="an engine that nobody knows",
        ),
        pytest.param(
            "\nframework: tensorrt-llm",
            "",
            f"{WRONG}: framework\n  is missing\n  allowed: tensorrt-llm, vllm",
            id="no engine",
        ),
        pytest.param(
            "\n      stream_interval: 20",
            "\n      max_num_seqs: 20",
            f"{WRONG}: services[1].engine.max_num_seqs = 20\n  there is no setting 'max_num_seqs' here\n"
            "  allowed: one of those in docs/settings.md",
            id="an option of another engine",
        ),
        pytest.param(
            "\n  inputTokens: 128",
            "\n  inputToken: 128",
            f"{WRONG}: traffic.inputToken = 128\n  there is no setting 'inputToken' here\n"
            "  allowed: inputTokens, outputTokens\n  try: inputTokens",
            id="a key that does not exist",
        ),
        pytest.param(
            '\n  version: "1.2.1"',
            "\n  version: 1.2",
            f"{WRONG}: runtime.version = 1.2\n  this is a number to YAML",
            id="a version without quotes",
        ),
        pytest.param(
            f"\nname: {AGGREGATED}",
            f"\nname: {DISAGGREGATED}",
            f"{WRONG}: name = '{DISAGGREGATED}'\n  not the name of its file\n  allowed: {AGGREGATED}\n"
            f"  try: {AGGREGATED}",
            id="the name of another recipe",
        ),
        pytest.param(
            "\nmodel: gpt-oss-120b",
            "\nmodel: gpt-oss-12b",
            f"{WRONG}: model = 'gpt-oss-12b'\n  no model has this name\n"
            "  allowed: gpt-oss-120b, gpt-oss-20b\n  try: gpt-oss-120b",
            id="a model that nobody has described",
        ),
        pytest.param("\nname:", "\n\tname:", f"{WRONG}\n  cannot be read as a recipe: ", id="no YAML"),
        pytest.param(
            "moe_expert_parallel_size: 4",
            "moe_expert_parallel_size: 3",
            "moe_expert_parallel_size 3 must divide tensor_parallel_size 4: write one of 1, 2, 4",
            id="GPUs that cannot be split so",
        ),
    ],
)
def test_a_mistake_in_a_recipe_is_named_with_its_file_key_and_value(
    rewritten: Callable[[str, str], None], old: str, new: str, said: str
) -> None:
    rewritten(old, new)
    with pytest.raises(SettingsError) as refused:
        read_recipe(AGGREGATED)
    assert said in refused.value.texts[-1]


def test_a_mistake_in_the_file_of_a_model_is_one_of_the_recipe_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewritten: Callable[[str, str], None]
) -> None:
    assert rewritten
    models = tmp_path / "recipes" / "models"
    shutil.copytree(load.MODELS, models)
    file = models / "gpt-oss-120b.yaml"
    text = file.read_text(encoding="utf-8").replace("openai/gpt-oss-120b", "openai/gpt-oss-7b", 1)
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(load, "MODELS", models)
    with pytest.raises(SettingsError) as refused:
        read_recipe(AGGREGATED)
    assert refused.value.texts == [
        f"{WRONG}: model.repository = 'openai/gpt-oss-7b'\n"
        "  nothing is known of its shape; known are gpt-oss-120b, gpt-oss-20b\n  allowed: text"
    ]


def test_a_wrong_recipe_hides_no_other(rewritten: Callable[[str, str], None]) -> None:
    rewritten("\nframework: tensorrt-llm", "\nframework: none")
    names = [recipe.name for recipe in sound_recipes()]
    assert DISAGGREGATED in names
    assert AGGREGATED not in names


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
