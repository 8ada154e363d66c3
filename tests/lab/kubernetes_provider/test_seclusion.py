import re
from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from lab.kubernetes_provider import object_annotations, settings

_FOLDER = REPOSITORY / "lab" / "kubernetes_provider"
# A stand-in that knew the product could be kind to it.
_PRODUCT = re.compile(r"dynamo|nvidia|gpt|trt|vllm|gpu|prefill|decode\b.*worker|gb200|b200", re.IGNORECASE)


@pytest.mark.parametrize("path", sorted(_FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_the_provider_knows_nothing_of_the_product(path: Path) -> None:
    assert _PRODUCT.findall(path.read_text()) == []


def test_an_input_wins_over_its_environment_variable() -> None:
    environment = {
        "PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true",
        "PULUMI_K8S_DELETE_UNREACHABLE": "true",
    }
    found = settings.Settings.from_inputs({"upsertExistingObjects": "false"}, environment)
    assert found.flags == {"deleteUnreachable"}


def test_what_the_stand_in_does_not_serve_is_refused() -> None:
    assert settings.refusals({"context": "x"}, {}) == []
    for given in ({"enableServerSideApply": "false"}, {"renderYamlToDirectory": "x"}, {"kubecontext": "x"}):
        assert [name for name, _ in settings.refusals(given, {})] == list(given)
    assert settings.refusals({}, {"PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY": "false"})
    annotated = {
        "metadata": {"annotations": {"pulumi.com/skipAwait": "true", "pulumi.com/patchFieldManager": "x"}}
    }
    assert object_annotations.not_served(annotated) == ["pulumi.com/patchFieldManager"]
