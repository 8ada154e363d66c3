"""A stack whose graph was written as v1alpha1, as this project wrote it at first, gets one in v1beta1."""

import shutil
from collections.abc import Iterator

import pytest

from tests.serving_stacks.pods import pods_of, variables_of
from tests.serving_stacks.rehearsal import prepared
from tests.support import alpha_graphs
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAMESPACE, GRAPH, CACHE = "gpt-oss", "gpt-oss-disagg", "model-cache"
GRAPHS = "dynamographdeployments.nvidia.com"

FIRST_PROGRAM = """
from alpha_graphs import alpha_spec
from components import dynamo_graph
from stacks.program import entry

right_spec = dynamo_graph.graph_spec
Resource = dynamo_graph.CustomResource


def first_spec(*arguments):
    spec = alpha_spec(right_spec(*arguments))
    for service in spec["services"].values():
        pod = service["extraPodSpec"]
        main = pod["mainContainer"]
        pod["volumes"] = [each for each in pod["volumes"] if each["name"] != "model-cache"]
        main["volumeMounts"] = [each for each in main["volumeMounts"] if each["name"] != "model-cache"]
        service["volumeMounts"] = [{"name": "model-cache", "mountPoint": "/opt/models"}]
        service["annotations"] = service.pop("extraPodMetadata").get("annotations", {})
    return spec | {"pvcs": [{"name": "model-cache", "create": False}]}


def first_resource(*arguments, **named):
    return Resource(*arguments, **named | {"api_version": "nvidia.com/v1alpha1"})


dynamo_graph.graph_spec = first_spec
dynamo_graph.CustomResource = first_resource
entry.main()
"""
"""Writes the graph so: the cache as a claim that the graph lists and each service mounts."""


@pytest.fixture(scope="module")
def stack(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with prepared(lab, tmp_path_factory.mktemp("v1alpha1"), "disagg-b200-tcp") as stack:
        yield stack


def _first_up(stack: LabStack) -> None:
    shutil.copy(alpha_graphs.__file__, stack.project)
    file = stack.project / "__main__.py"
    original = file.read_text()
    file.write_text(FIRST_PROGRAM)
    stack.pulumi("up", "--yes", "--skip-preview")
    file.write_text(original)


def _volumes(stack: LabStack) -> dict[str, set[str]]:
    pods = pods_of(stack.lab, GRAPH, NAMESPACE)
    return {
        role: {volume["name"] for pod in found for volume in pod["spec"]["volumes"]}
        for role, found in pods.items()
    }


def _variables(stack: LabStack) -> dict[str, bool]:
    """Whether every pod of a role knows where the model is."""
    pods = pods_of(stack.lab, GRAPH, NAMESPACE)
    return {role: all("HF_HOME" in variables_of(pod) for pod in found) for role, found in pods.items()}


def test_a_v1alpha1_graph_becomes_a_v1beta1_one_and_its_workers_get_the_model(stack: LabStack) -> None:
    _first_up(stack)
    uid = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["metadata"]["uid"]
    assert {role: CACHE in names for role, names in _volumes(stack).items()} == {
        "frontend": True,
        "prefill": False,
        "decode": False,
    }
    assert any("nvidia.com/v1alpha1:DynamoGraphDeployment" in urn for urn in stack.urns())
    seen = stack.pulumi("preview")
    said = " ".join((seen.stdout + seen.stderr).split())
    assert f"another graph: {GRAPH} is deleted, then {GRAPH} is created" in said, said
    assert "it cannot be changed from v1alpha1 to v1beta1" in said
    assert "nothing serves from the moment the old graph ends until the new one" in said
    stack.pulumi("up", "--yes")
    graph = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert graph["metadata"]["uid"] != uid
    assert graph["status"]["state"] == "successful"
    assert all(CACHE in names for names in _volumes(stack).values())
    assert all(_variables(stack).values())
    stack.pulumi("up", "--yes", "--skip-preview")
    assert stack.changes() == {}
    assert stack.dynamo_stack("drift", stack.name, check=False).returncode == 0
