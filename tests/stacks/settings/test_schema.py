"""The schema that editors use and the page of all settings: current, and of one opinion with the model."""

from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from engines.registry import ENGINES
from lab.directory import REPOSITORY
from recipes.files import SCHEMA_FILE as RECIPE_SCHEMA_FILE
from recipes.files import editor_line
from recipes.load import load_recipe, parse_recipe, recipe_file, recipe_names
from stacks.settings.schema import (
    DOCUMENT,
    EDITOR_LINE,
    SCHEMA_FILE,
    as_text,
    field_docstrings,
    recipe_schema,
    settings_document,
    stack_file_schema,
    summary,
)
from stacks.settings.setting_places import field_place, models_within
from stacks.settings.stack import StackSettings
from stacks.settings.yaml_file import parse_yaml
from stacks.stack_files import list_stacks
from tests.stacks.changed_settings import GONE, Change, Settings, changed, said
from tests.support.dev_settings import dev_settings
from tests.support.eks_settings import eks_b200_settings

SCHEMA = stack_file_schema()
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
RECIPE_SCHEMA = recipe_schema()
OF_RECIPES = jsonschema.Draft7Validator(RECIPE_SCHEMA)
STACKS = list_stacks(REPOSITORY)


def _is_valid(settings: object, **others: object) -> bool:
    document: Any = {"config": {"dynamo-stack:settings": settings, **others}}
    return VALIDATOR.is_valid(document)


def test_the_committed_schema_is_the_models_own() -> None:
    for file, schema in ((SCHEMA_FILE, SCHEMA), (RECIPE_SCHEMA_FILE, RECIPE_SCHEMA)):
        assert file.read_text(encoding="utf-8") == as_text(schema), "run `python -m stacks.settings.schema`"


def test_the_committed_page_of_settings_is_the_models_own_and_its_sections_fit_on_a_screen() -> None:
    page = settings_document()
    assert DOCUMENT.read_text(encoding="utf-8") == page, "run `python -m stacks.settings.schema`"
    assert max(len(section.splitlines()) for section in page.split("\n## ")) <= 40


@pytest.mark.parametrize("stack", STACKS)
def test_a_shipped_stack_file_is_valid_and_tells_editors_where_the_schema_is(stack: str) -> None:
    text = (REPOSITORY / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    assert [error.message for error in VALIDATOR.iter_errors(parse_yaml(text))] == []
    assert text.splitlines()[0] == EDITOR_LINE
    assert (REPOSITORY / EDITOR_LINE.partition("$schema=")[2]) == SCHEMA_FILE


DEV = dev_settings()
EKS = eks_b200_settings()
NATS = {"kind": "own", "storageClassName": "gp3"}
WAIVER = {"rule": "a-rule", "reason": "because", "expires": "2026-12-31 00:00:00 +0000 UTC"}
DECODE = "serving.overrides.decode"


@pytest.mark.parametrize(
    ("settings", "change"),
    [
        pytest.param(DEV, {"serving.recipie": "x"}, id="an unknown key"),
        pytest.param(DEV, {"serving.kv_transport": "tcp"}, id="a key in snake case"),
        pytest.param(DEV, {"platform.storageClassName": "x"}, id="an old place"),
        pytest.param(DEV, {"platform.kind": GONE}, id="no kind"),
        pytest.param(DEV, {"platform.kind": "owns"}, id="an unknown kind"),
        pytest.param(DEV, {"platform.kind": "existing"}, id="a key of another kind"),
        pytest.param(DEV, {"platform.nats": NATS | {"members": 2}}, id="two members"),
        pytest.param(DEV, {"platform.nats": NATS | {"members": "3"}}, id="a quoted number"),
        pytest.param(DEV, {"platform.version": 1.2}, id="a number for a version"),
        pytest.param(DEV, {"lifecycle": "prod"}, id="a word that is not known"),
        pytest.param(DEV, {"nodePools": []}, id="no pools"),
        pytest.param(DEV, {"nodePools[0].nodes": 0}, id="no nodes"),
        pytest.param(DEV, {"nodePools[0].labels": {"a b": "x"}}, id="a label that is no label"),
        pytest.param(DEV, {"imageMirrors": {"https://nvcr.io": "x"}}, id="a mirror with a scheme"),
        pytest.param(DEV, {"serving.replicas": "full"}, id="neither fill nor replicas"),
        pytest.param(DEV, {DECODE: {"max_batch_sise": 1}}, id="a misspelt engine option"),
        pytest.param(
            DEV, {DECODE: {"kv_cache_config": {"free_gpu_memory_fraction": 2}}}, id="a fraction above one"
        ),
        pytest.param(DEV, {"waivers": [WAIVER]}, id="a date that YAML has rewritten"),
        pytest.param(DEV, {"cluster.context": {"secure": "v1:x"}}, id="a secret"),
        pytest.param(EKS, {"cluster.kind": "aks"}, id="an unknown kind of cluster"),
        pytest.param(EKS, {"cluster.context": "x"}, id="a key of a cluster that exists"),
        pytest.param(EKS, {"cluster.accountId": 123456789012}, id="a number for an account"),
        pytest.param(EKS, {"cluster.version": "1.30"}, id="a version that EKS has not"),
        pytest.param(EKS, {"cluster.network.zones": ["us-east-1a"]}, id="one zone"),
        pytest.param(EKS, {"nodePools[0].purchase.kind": "spot"}, id="a way to buy with another's keys"),
        pytest.param(
            EKS, {"nodePools[0].purchase.starts": "2026-12-01"}, id="a start that YAML has rewritten"
        ),
        pytest.param(EKS, {"modelCache.storage": {"kind": "lustre"}}, id="an unknown file system"),
    ],
)
def test_an_editor_marks_what_the_model_refuses(settings: Settings, change: Change) -> None:
    assert _is_valid(settings)
    wrong = changed(settings, change)
    assert said(wrong)
    assert not _is_valid(wrong)


def test_an_editor_completes_the_options_of_every_engine() -> None:
    for engine in ENGINES.values():
        defined = SCHEMA["$defs"][engine.settings.__name__]
        assert list(defined["properties"]) == list(engine.settings.model_fields)
    for options in ({"max_batch_size": 1}, {"max_num_seqs": 1, "speculative_config": None}):
        assert _is_valid(changed(DEV, {DECODE: options}))
    both = changed(DEV, {DECODE: {"max_batch_size": 1, "max_num_seqs": 1}})
    assert not _is_valid(both), "no engine has both"


def test_an_editor_marks_a_plain_text_token_and_a_misspelt_key_of_ours_alone() -> None:
    assert _is_valid(DEV, **{"dynamo-stack:hfToken": {"secure": "v1:x"}, "pulumi:autonaming": {}})
    assert not _is_valid(DEV, **{"dynamo-stack:hfToken": "hf_planted"})
    assert not _is_valid(DEV, **{"dynamo-stack:setings": {}})
    assert not VALIDATOR.is_valid({"config": {}})


def test_every_setting_of_this_project_says_what_it_means() -> None:
    ours = [model for model in models_within(StackSettings) if model.__module__.startswith("stacks.")]
    silent = {
        f"{model.__name__}.{name}"
        for model in ours
        for name, field in model.model_fields.items()
        # A setting that is one mapping is explained by the mapping's own docstring.
        if name != "kind" and name not in field_docstrings(model) and len(field_place(field).models) != 1
    }
    assert silent == set()
    assert [model.__name__ for model in ours if not summary(model)] == []


def _recipe(name: str = "gpt-oss-120b/trtllm-agg") -> dict[str, Any]:
    return yaml.safe_load(recipe_file(name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_of_the_catalogue_is_valid_and_tells_editors_where_the_schema_is(name: str) -> None:
    assert [error.message for error in OF_RECIPES.iter_errors(_recipe(name))] == []
    file = recipe_file(name)
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert first == editor_line(file)
    assert (file.parent / first.partition("$schema=")[2]).resolve() == RECIPE_SCHEMA_FILE


def test_a_model_may_be_described_in_the_file() -> None:
    model = load_recipe("gpt-oss-20b/trtllm-agg").model.model_dump(mode="json", by_alias=True)
    assert OF_RECIPES.is_valid(changed(_recipe(), {"model": model}))
    misspelt = {"model.revision": GONE, "model.revisoin": model["revision"]}
    assert not OF_RECIPES.is_valid(changed(_recipe(), {"model": model}, misspelt))


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
def test_an_editor_marks_what_the_model_of_a_recipe_refuses(change: dict[str, Any]) -> None:
    content = changed(_recipe(), change)
    with pytest.raises((ValidationError, ValueError)):
        parse_recipe(yaml.safe_dump(content))
    assert not OF_RECIPES.is_valid(content)
