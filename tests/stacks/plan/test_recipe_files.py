"""A recipe file that is wrong: named with key and value, and no hindrance for the others."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recipes import load
from stacks.errors import SettingsError
from stacks.plan.recipe_files import read_recipe, sound_recipes

AGGREGATED, DISAGGREGATED = "gpt-oss-120b/trtllm-agg", "gpt-oss-120b/trtllm-disagg"
FILE = f"recipes/catalogue/{AGGREGATED}.yaml"


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
    load.load_model.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            "\nframework: tensorrt-llm",
            "\nframework: tensorrt-lm",
            f"{FILE}: framework = 'tensorrt-lm'\n  no engine has this name\n  allowed: tensorrt-llm, vllm\n"
            "  try: tensorrt-llm",
            id="an engine that nobody knows",
        ),
        pytest.param(
            "\nframework: tensorrt-llm",
            "",
            f"{FILE}: framework\n  is missing\n  allowed: tensorrt-llm, vllm",
            id="no engine",
        ),
        pytest.param(
            "\n      stream_interval: 20",
            "\n      max_num_seqs: 20",
            f"{FILE}: services[1].engine.max_num_seqs = 20\n  there is no setting 'max_num_seqs' here\n"
            "  allowed: one of those in docs/settings.md",
            id="an option of another engine",
        ),
        pytest.param(
            "\n  inputTokens: 128",
            "\n  inputToken: 128",
            f"{FILE}: traffic.inputToken = 128\n  there is no setting 'inputToken' here\n"
            "  allowed: inputTokens, outputTokens\n  try: inputTokens",
            id="a key that does not exist",
        ),
        pytest.param(
            '\n  version: "1.2.1"',
            "\n  version: 1.2",
            f"{FILE}: runtime.version = 1.2\n  this is a number to YAML",
            id="a version without quotes",
        ),
        pytest.param(
            f"\nname: {AGGREGATED}",
            f"\nname: {DISAGGREGATED}",
            f"{FILE}: name = '{DISAGGREGATED}'\n  not the name of its file\n  allowed: {AGGREGATED}\n"
            f"  try: {AGGREGATED}",
            id="the name of another recipe",
        ),
        pytest.param(
            "\nmodel: gpt-oss-120b",
            "\nmodel: gpt-oss-12b",
            f"{FILE}: model = 'gpt-oss-12b'\n  no model has this name\n  allowed: gpt-oss-120b, gpt-oss-20b\n"
            "  try: gpt-oss-120b",
            id="a model that nobody has described",
        ),
        pytest.param("\nname:", "\n\tname:", f"{FILE}\n  not a recipe: not YAML (line ", id="no YAML"),
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


def test_a_mistake_in_a_model_is_named_with_the_model_s_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewritten: Callable[[str, str], None]
) -> None:
    assert rewritten
    models = tmp_path / "recipes" / "models"
    shutil.copytree(load.MODELS, models)
    file = models / "gpt-oss-120b.yaml"
    text = file.read_text(encoding="utf-8").replace("openai/gpt-oss-120b", "openai/gpt-oss-7b", 1)
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(load, "MODELS", models)
    load.load_model.cache_clear()
    with pytest.raises(SettingsError) as refused:
        read_recipe(AGGREGATED)
    assert refused.value.texts == [
        "recipes/models/gpt-oss-120b.yaml: repository = 'openai/gpt-oss-7b'\n"
        "  nothing is known of its shape; known are gpt-oss-120b, gpt-oss-20b\n  allowed: text"
    ]


def test_a_wrong_recipe_hides_no_other(rewritten: Callable[[str, str], None]) -> None:
    rewritten("\nframework: tensorrt-llm", "\nframework: none")
    names = [recipe.name for recipe in sound_recipes()]
    assert DISAGGREGATED in names
    assert AGGREGATED not in names
