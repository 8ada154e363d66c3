"""The schema that editors use and the page of all settings: current, and of one opinion with the model."""

from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from engines.registry import ENGINES
from lab.directory import REPOSITORY
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.settings.document import DOCUMENT, field_docstrings, settings_document, summary
from stacks.settings.load import parse_settings
from stacks.settings.schema import EDITOR_LINE, SCHEMA_FILE, schema_text, stack_file_schema
from stacks.settings.setting_places import field_place, models_within
from stacks.settings.stack import StackSettings
from stacks.settings.yaml_file import parse_yaml
from stacks.stack_files import list_stacks
from tests.support.dev_settings import dev_settings
from tests.support.eks_settings import eks_b200_settings

VALIDATOR = jsonschema.Draft7Validator(stack_file_schema())
STACKS = list_stacks(REPOSITORY)


def _is_valid(settings: object, **others: object) -> bool:
    document: Any = {"config": {"dynamo-stack:settings": settings, **others}}
    return VALIDATOR.is_valid(document)


def test_the_committed_schema_is_the_models_own() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run `python -m stacks.settings.schema`"


def test_the_committed_page_of_settings_is_the_models_own() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == settings_document(), (
        "run `python -m stacks.settings.schema`"
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(stack_file_schema())


@pytest.mark.parametrize("stack", STACKS)
def test_a_shipped_stack_file_is_valid_and_tells_editors_where_the_schema_is(stack: str) -> None:
    text = (REPOSITORY / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    assert [error.message for error in VALIDATOR.iter_errors(parse_yaml(text))] == []
    assert text.splitlines()[0] == EDITOR_LINE
    assert (REPOSITORY / EDITOR_LINE.partition("$schema=")[2]) == SCHEMA_FILE


MISTAKES: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("an unknown key", lambda s: s["serving"].update(recipie="x")),
    ("a key in snake case", lambda s: s["serving"].update(kv_transport="tcp")),
    ("an old place", lambda s: s["platform"].update(storageClassName="x")),
    ("no kind", lambda s: s["platform"].pop("kind")),
    ("an unknown kind", lambda s: s["platform"].update(kind="owns")),
    ("a key of another kind", lambda s: s["platform"].update(kind="existing")),
    ("two members", lambda s: s["platform"].update(nats=_own_nats(2))),
    ("a quoted number", lambda s: s["platform"].update(nats=_own_nats("3"))),
    ("a number for a version", lambda s: s["platform"].update(version=1.2)),
    ("a word that is not known", lambda s: s.update(lifecycle="prod")),
    ("no pools", lambda s: s.update(nodePools=[])),
    ("no nodes", lambda s: s["nodePools"][0].update(nodes=0)),
    ("a label that is no label", lambda s: s["nodePools"][0].update(labels={"a b": "x"})),
    ("a mirror with a scheme", lambda s: s.update(imageMirrors={"https://nvcr.io": "x"})),
    ("neither fill nor replicas", lambda s: s["serving"].update(replicas="full")),
    ("a misspelt engine option", lambda s: _override(s, {"max_batch_sise": 1})),
    ("a fraction above one", lambda s: _override(s, {"kv_cache_config": {"free_gpu_memory_fraction": 2}})),
    ("a date that YAML has rewritten", lambda s: _waive(s, "2026-12-31 00:00:00 +0000 UTC")),
    ("a secret", lambda s: s["cluster"].update(context={"secure": "v1:x"})),
]


OF_A_CLUSTER: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("an unknown kind of cluster", lambda s: s["cluster"].update(kind="aks")),
    ("a key of a cluster that exists", lambda s: s["cluster"].update(context="x")),
    ("a number for an account", lambda s: s["cluster"].update(accountId=123456789012)),
    ("a version that EKS has not", lambda s: s["cluster"].update(version="1.30")),
    ("one zone", lambda s: s["cluster"]["network"].update(zones=["us-east-1a"])),
    ("a way to buy with another's keys", lambda s: s["nodePools"][0]["purchase"].update(kind="spot")),
    ("a start that YAML has rewritten", lambda s: s["nodePools"][0]["purchase"].update(starts="2026-12-01")),
    ("an unknown file system", lambda s: s["modelCache"].update(storage={"kind": "lustre"})),
]


def _own_nats(members: object) -> dict[str, object]:
    return {"kind": "own", "members": members, "storageClassName": "gp3"}


def _override(settings: dict[str, Any], options: dict[str, object]) -> None:
    settings["serving"]["overrides"] = {"decode": options}


def _waive(settings: dict[str, Any], expires: str) -> None:
    settings["waivers"] = [{"rule": "a-rule", "reason": "because", "expires": expires}]


@pytest.mark.parametrize("change", [case[1] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_an_editor_marks_what_the_model_refuses(change: Callable[[dict[str, Any]], object]) -> None:
    settings = dev_settings()
    assert _is_valid(settings)
    change(settings)
    with pytest.raises(SettingsError):
        # The options of an engine are judged with the recipe, which names it.
        resolve("dev", parse_settings(settings, "Pulumi.dev.yaml"), "Pulumi.dev.yaml")
    assert not _is_valid(settings)


def test_an_editor_completes_the_options_of_every_engine() -> None:
    for engine in ENGINES.values():
        defined = stack_file_schema()["$defs"][engine.settings.__name__]
        assert list(defined["properties"]) == list(engine.settings.model_fields)
    settings = dev_settings()
    for options in ({"max_batch_size": 1}, {"max_num_seqs": 1, "speculative_config": None}):
        _override(settings, options)
        assert _is_valid(settings)
    _override(settings, {"max_batch_size": 1, "max_num_seqs": 1})
    assert not _is_valid(settings), "no engine has both"


@pytest.mark.parametrize("change", [case[1] for case in OF_A_CLUSTER], ids=[case[0] for case in OF_A_CLUSTER])
def test_an_editor_marks_what_the_model_refuses_of_a_cluster_to_be_made(
    change: Callable[[dict[str, Any]], object],
) -> None:
    settings = eks_b200_settings()
    assert _is_valid(settings)
    change(settings)
    with pytest.raises(SettingsError):
        parse_settings(settings, "Pulumi.dev.yaml")
    assert not _is_valid(settings)


def test_an_editor_marks_a_plain_text_token_and_a_misspelt_key_of_ours_alone() -> None:
    settings = dev_settings()
    assert _is_valid(settings, **{"dynamo-stack:hfToken": {"secure": "v1:x"}, "pulumi:autonaming": {}})
    assert not _is_valid(settings, **{"dynamo-stack:hfToken": "hf_planted"})
    assert not _is_valid(settings, **{"dynamo-stack:setings": {}})
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


def test_an_editor_shows_the_meaning_of_a_setting_where_it_is_typed() -> None:
    properties = stack_file_schema()["$defs"]["ServingSettings"]["properties"]
    assert "must be typed" in properties["kvTransport"]["description"]


def test_each_section_of_the_page_fits_on_a_screen() -> None:
    sections = settings_document().split("\n## ")
    assert max(len(section.splitlines()) for section in sections) <= 40
