"""What the state says of what exists."""

import copy
from typing import Any

from recipes.load import load_recipe
from stacks.updates.comparable_graph import graph_of
from stacks.updates.deployed import DeployedVolume, deployed
from tests.components.recorded import recorded
from tests.support.dev_settings import disagg_b200_settings, resolved

PREFIX = "urn:pulumi:dev::dynamo-stack::"
CACHE = f"{PREFIX}dynamo-stack:components:ModelCache$"
GRAPH = f"{PREFIX}dynamo-stack:components:DynamoGraph$kubernetes:nvidia.com/v1beta1:DynamoGraphDeployment::a"


def _inputs(kind: str) -> dict[str, Any]:
    [resource] = [each for each in recorded(disagg_b200_settings()) if each.kind == kind]
    return copy.deepcopy(dict(resource.inputs))


def _with_defaults(inputs: dict[str, Any]) -> dict[str, Any]:
    live = copy.deepcopy(inputs)
    for component in live["spec"]["components"]:
        component["minAvailable"] = 1
    return live | {"status": {"state": "successful"}}


def test_an_empty_state_says_nothing() -> None:
    nothing = deployed({})
    assert (nothing.graphs, nothing.volume, nothing.revision, nothing.release) == ((), None, None, None)
    assert nothing.graph_before(graph_of(resolved(disagg_b200_settings()))) is None


def test_what_the_server_has_added_is_no_change() -> None:
    inputs = _inputs("DynamoGraphDeployment")
    [graph] = deployed({GRAPH: _with_defaults(inputs) | {"__inputs": inputs}}).graphs
    wanted = graph_of(resolved(disagg_b200_settings()))
    assert graph.makes_same_workers(wanted)
    assert not deployed({GRAPH: _with_defaults(inputs)}).graphs[0].makes_same_workers(wanted)


def test_the_graph_in_the_wanted_place_comes_before_one_that_is_left_over() -> None:
    inputs, other = _inputs("DynamoGraphDeployment"), _inputs("DynamoGraphDeployment")
    other["metadata"]["name"] = "other"
    both = deployed({GRAPH: {"__inputs": other}, f"{GRAPH}b": {"__inputs": inputs}})
    running = both.graph_before(graph_of(resolved(disagg_b200_settings())))
    assert running
    assert (running.name, running.urn) == ("gpt-oss-disagg", f"{GRAPH}b")


def test_volume_and_revision_are_read_from_claim_and_job() -> None:
    claim = f"{CACHE}kubernetes:core/v1:PersistentVolumeClaim::model-cache-claim"
    job = f"{CACHE}kubernetes:batch/v1:Job::model-cache-download"
    found = deployed(
        {
            claim: {"__inputs": _inputs("PersistentVolumeClaim")},
            job: {"__inputs": _inputs("Job")},
        }
    )
    assert found.volume == DeployedVolume(150, "shared-files")
    assert found.revision == load_recipe("gpt-oss-120b/trtllm-disagg").model.revision


def test_a_claim_of_another_resource_is_not_the_model_cache() -> None:
    claim = f"{PREFIX}kubernetes:core/v1:PersistentVolumeClaim::scratch"
    assert deployed({claim: {"__inputs": _inputs("PersistentVolumeClaim")}}).volume is None
