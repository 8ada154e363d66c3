"""What the program asks the engine for, recorded from the real program."""

import re
from typing import Any

import pulumi
import pytest

from resource_graph import Resource, ResourceGraph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from tests.components.recorded import objects, recorded
from tests.support.dev_settings import dev_settings, resolved

PLANTED = "hf_planted_token_0123456789"


@pytest.fixture(autouse=True)
def _an_output_as_text_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_ERROR_OUTPUT_STRING", "true")


def _recorded(lifecycle: str = "disposable") -> ResourceGraph:
    return recorded(dev_settings() | {"lifecycle": lifecycle})


def _objects(graph: ResourceGraph) -> dict[str, Resource]:
    """Kubernetes objects and Helm releases by kind and name, hashes of content left out."""
    return {re.sub("-[0-9a-f]{10}$", "-<hash>", name): each for name, each in objects(graph).items()}


def _object(kind: str) -> Resource:
    [found] = [each for name, each in _objects(_recorded()).items() if name.startswith(f"{kind} ")]
    return found


def test_everything_goes_through_the_one_provider_that_names_its_cluster() -> None:
    [provider] = [resource for resource in _recorded() if resource.type == "pulumi:providers:kubernetes"]
    assert provider.inputs["context"] == "dynamo-lab"
    assert provider.inputs["clusterIdentifier"] == "dynamo-lab"
    for name, resource in _objects(_recorded()).items():
        assert resource.provider is not None, name
        assert resource.provider.startswith(provider.urn), name


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("Release", "Namespace dynamo-system"),
        ("PersistentVolumeClaim", "Namespace gpt-oss"),
        ("Job", "PersistentVolumeClaim model-cache"),
        ("DynamoGraphDeployment", "Release dynamo-platform"),
        ("DynamoGraphDeployment", "Job model-download"),
        ("DynamoGraphDeployment", "PersistentVolumeClaim model-cache"),
        ("DynamoGraphDeployment", "Namespace gpt-oss"),
        ("DynamoGraphDeployment", "ConfigMap gpt-oss-disagg-engine-<hash>"),
    ],
)
def test_nothing_is_made_before_what_makes_it_work_or_destroyed_after_it(later: str, earlier: str) -> None:
    graph = _recorded()
    assert _objects(graph)[earlier].urn in _object(later).dependencies


def test_every_wait_has_a_limit_of_its_own_and_the_graph_is_waited_for_until_it_is_ready() -> None:
    assert _object("Release").custom_timeouts.create == 660
    assert _object("Release").inputs["timeout"] == 600
    assert _object("Job").custom_timeouts.create == 3960
    graph = _object("DynamoGraphDeployment").custom_timeouts
    assert (graph.create, graph.update, graph.delete) == (3660, 3660, 300)
    metadata: Any = _object("DynamoGraphDeployment").inputs["metadata"]
    assert metadata["annotations"] == {
        "pulumi.com/waitFor": "condition=Ready",
        "dynamo-stack/kv-transport": "tcp",
    }


def test_production_protects_and_keeps_what_explain_says_that_it_keeps_and_disposable_nothing() -> None:
    found = _objects(_recorded("production"))
    kept = {name for name, resource in found.items() if resource.retain_on_delete}
    assert kept == {name for name, resource in found.items() if resource.protect}
    stack = resolved(dev_settings() | {"lifecycle": "production"})
    # The rest is made by Helm and by the operator, and is no resource of the program.
    others = {"CustomResourceDefinition", "Lease", "ServiceAccount", "RoleBinding"}
    promised = {f"{item.kind} {item.name}" for item in stack.retained if item.kind not in others}
    assert kept == promised == {"PersistentVolumeClaim model-cache", "Namespace gpt-oss"}
    disposable = _objects(_recorded()).values()
    assert not [each.urn for each in disposable if each.protect or each.retain_on_delete]


def test_without_a_token_there_is_no_secret_and_nobody_refers_to_one() -> None:
    assert not [name for name in _objects(_recorded()) if name.startswith("Secret")]
    assert "hf-token-secret" not in str([dict(resource.inputs) for resource in _recorded()])


@pytest.mark.parametrize("marks", [pulumi.Output.secret, pulumi.Output.from_input], ids=["marked", "plain"])
def test_a_token_is_in_its_secret_alone_which_the_download_alone_reads(marks: Any) -> None:
    graph = record(lambda: deploy(resolved(), marks(PLANTED)), project="dynamo-stack", stack="dev")
    [secret] = [resource for resource in graph if PLANTED in str(dict(resource.inputs))]
    inputs: Any = secret.inputs
    assert (secret.kind, secret.object_name, secret.namespace) == ("Secret", "hf-token-secret", "gpt-oss")
    assert inputs["stringData"] == {"HF_TOKEN": PLANTED}
    assert any(path[0] == "stringData" for path in secret.secret_paths or ())
    [reader] = [each for each in graph if "secretKeyRef" in str(dict(each.inputs))]
    assert reader.object_name == "model-download"
    assert secret.urn in reader.dependencies


def test_other_engine_files_are_another_resource_and_no_replacement() -> None:
    config_map = _object("ConfigMap")
    # A replaced one would be marked for deletion: taking a change back after its roll has failed would create
    # what exists, and delete it.
    inputs: Any = config_map.inputs
    assert config_map.name == inputs["metadata"]["name"]
    assert inputs["immutable"] is True
