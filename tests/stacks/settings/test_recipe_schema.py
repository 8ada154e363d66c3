"""The schema by which editors check a recipe file: current, and of one opinion with the model."""

from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from recipes.files import SCHEMA_FILE, editor_line
from recipes.load import load_recipe, parse_recipe, recipe_file, recipe_names
from stacks.settings.recipe_schema import recipe_schema, recipe_schema_text
from tests.stacks.changed_settings import GONE, changed

SCHEMA = recipe_schema()
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
AGGREGATED = "gpt-oss-120b/trtllm-agg"


def _content(name: str = AGGREGATED) -> dict[str, Any]:
    return yaml.safe_load(recipe_file(name).read_text(encoding="utf-8"))


def test_the_committed_schema_is_the_model_s_own() -> None:
    told = "run `python -m stacks.settings.recipe_schema`"
    assert SCHEMA_FILE.read_text(encoding="utf-8") == recipe_schema_text(), told


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_of_the_catalogue_is_valid_and_tells_editors_where_the_schema_is(name: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(_content(name))] == []
    file = recipe_file(name)
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert first == editor_line(file)
    assert (file.parent / first.partition("$schema=")[2]).resolve() == SCHEMA_FILE


def test_a_model_may_be_described_in_the_file() -> None:
    model = load_recipe("gpt-oss-20b/trtllm-agg").model.model_dump(mode="json", by_alias=True)
    assert VALIDATOR.is_valid(changed(_content(), {"model": model}))
    misspelt = {"model.revision": GONE, "model.revisoin": model["revision"]}
    assert not VALIDATOR.is_valid(changed(_content(), {"model": model}, misspelt))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"traffic": GONE, "trafic": {}}, id="an unknown key"),
        pytest.param({"model": "gpt-oss-12b"}, id="a model that nobody has described"),
        pytest.param({"framework": "tensorrt"}, id="an unknown engine"),
        pytest.param({"runtime.version": 1.2}, id="a version without quotes"),
        pytest.param({"services[1].engine.max_batch_sise": 1}, id="a misspelt engine option"),
        pytest.param(
            {"services[1].engine.kv_cache_config.free_gpu_memory_fraction": 2}, id="a fraction above one"
        ),
        pytest.param({"corrections[0].source": GONE}, id="a correction without a source"),
    ],
)
def test_an_editor_marks_what_the_model_refuses(change: dict[str, Any]) -> None:
    content = changed(_content(), change)
    with pytest.raises((ValidationError, ValueError)):
        parse_recipe(yaml.safe_dump(content))
    assert not VALIDATOR.is_valid(content)
