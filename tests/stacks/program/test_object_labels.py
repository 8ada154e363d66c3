"""Kubernetes' recommended labels on the objects that the program registers."""

import tomllib

import pytest

from lab.directory import REPOSITORY
from resource_graph import Resource
from stacks.plan.versions import NATS_IMAGE, PROJECT_VERSION
from tests.components.recorded import objects, recorded
from tests.support.shipped_stacks import shipped_settings

KEYS = {
    f"app.kubernetes.io/{key}"
    for key in ("name", "instance", "component", "part-of", "managed-by", "version")
}
EVERY_STACK = pytest.mark.parametrize(
    "name", sorted(file.name.split(".")[1] for file in REPOSITORY.glob("Pulumi.*.yaml"))
)


def _kubernetes_objects(name: str) -> dict[str, Resource]:
    """Those of a shipped stack without its charts, whose objects Helm labels."""
    return {title: each for title, each in objects(recorded(shipped_settings(name))).items() if each.kind}


@EVERY_STACK
def test_every_object_of_every_stack_bears_the_six_labels(name: str) -> None:
    found = _kubernetes_objects(name)
    assert found
    lacking = {title: KEYS - set(each.metadata.get("labels") or {}) for title, each in found.items()}
    assert {title: missing for title, missing in lacking.items() if missing} == {}


def test_the_labels_say_the_layer_and_the_version_of_what_runs_there() -> None:
    found = _kubernetes_objects("disagg-gb200-two-trays")
    shown = {
        title: tuple(
            each.metadata["labels"][f"app.kubernetes.io/{key}"] for key in ("name", "component", "version")
        )
        for title, each in found.items()
    }
    model = shown["Job model-download"]
    assert shown["StatefulSet dynamo-nats"] == ("nats", "platform", NATS_IMAGE.rpartition(":")[2])
    assert model[:2] == ("model-cache", "serving")
    assert len(model[2]) == 40
    assert shown["DynamoGraphDeployment gpt-oss-disagg"] == ("gpt-oss-disagg", "serving", "1.2.1")
    assert shown["StorageClass gp3"] == ("addons", "infrastructure", PROJECT_VERSION)


def test_labels_that_an_object_has_stay() -> None:
    namespace = _kubernetes_objects("disagg-gb200-two-trays")["Namespace gpt-oss"]
    assert namespace.metadata["labels"]["uses-dynamo-platform"] == "dynamo-system"


def test_the_version_is_the_projects() -> None:
    content = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert content["project"]["version"] == PROJECT_VERSION
