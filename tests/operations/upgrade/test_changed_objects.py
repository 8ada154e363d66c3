"""What an upgrade changes of the rendered objects, named as a person knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operations.upgrade.changed_objects import changed_objects
from tests.components.recorded import recorded
from tests.stacks.updates.changes import changed, override
from tests.support.dev_settings import disagg_b200_settings

if TYPE_CHECKING:
    from operations.upgrade.changed_objects import ChangedObject

BEFORE = disagg_b200_settings()
GRAPH = "DynamoGraphDeployment gpt-oss/gpt-oss-disagg"


def _changes(after: dict[str, Any], token: str | None = None) -> dict[str, ChangedObject]:
    """By their names, in their order."""
    found = changed_objects(recorded(BEFORE), recorded(after, token))
    return {each.name: each for each in found}


def _frontend_image(settings: dict[str, Any]) -> None:
    settings["serving"]["imageVersions"] = {"frontend": "1.2.9"}


def _another_namespace(settings: dict[str, Any]) -> None:
    settings["serving"]["namespace"] = "elsewhere"


def test_nothing_differs_from_itself() -> None:
    assert _changes(BEFORE) == {}


def test_a_field_is_named_by_the_names_of_the_list_items_around_it() -> None:
    [(name, change)] = _changes(changed(BEFORE, _frontend_image)).items()
    assert (name, change.action) == (GRAPH, "changed")
    label, image = change.fields
    assert image.path == "spec.components.Frontend.podTemplate.spec.containers.main.image"
    assert (image.before.rpartition(":")[2], image.after.rpartition(":")[2]) == ("1.2.1", "1.2.9")
    assert label.path == ('spec.components.Frontend.podTemplate.metadata.labels["app.kubernetes.io/version"]')
    assert (label.before, label.after) == ("1.2.1", "1.2.9")


def test_a_list_item_that_comes_is_not_named_twice() -> None:
    def with_variable(settings: dict[str, Any]) -> None:
        settings["serving"]["environment"] = {"decode": {"OURS": "1"}}

    [change] = _changes(changed(BEFORE, with_variable)).values()
    [field] = change.fields
    assert field.path.endswith(".containers.main.env.OURS.value")
    assert (field.before, field.after) == ("not set", "1")


def test_objects_stand_in_the_order_of_up_and_what_goes_stands_last() -> None:
    changes = _changes(changed(BEFORE, override("decode", max_batch_size=9)))
    steps = [(name.partition(" ")[0], change.action) for name, change in changes.items()]
    assert steps == [
        ("ConfigMap", "created"),
        ("DynamoGraphDeployment", "changed"),
        ("ConfigMap", "deleted"),
    ]


def test_an_object_in_another_namespace_is_named_with_the_new_one() -> None:
    changes = _changes(changed(BEFORE, _another_namespace))
    field = changes[GRAPH.replace("gpt-oss/", "elsewhere/")].fields[0]
    assert field.as_json() == {"path": "metadata.namespace", "before": "gpt-oss", "after": "elsewhere"}


def test_a_secret_is_neither_compared_nor_shown() -> None:
    assert changed_objects(recorded(BEFORE, "hf_old"), recorded(BEFORE, "hf_new")) == ()
    shown = str([change.as_json() for change in _changes(BEFORE, "hf_new").values()])
    assert "Secret gpt-oss/hf-token-secret" in shown
    assert "hf_new" not in shown
