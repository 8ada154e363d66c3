"""What the state says of what exists."""

import copy
from typing import Any

from stacks.updates.comparable_graph import graph_of
from stacks.updates.deployed import deployed
from tests.components.recorded import recorded
from tests.support.dev_settings import disagg_b200_settings, resolved

PREFIX = "urn:pulumi:dev::dynamo-stack::"
GRAPH = f"{PREFIX}dynamo-stack:components:DynamoGraph$kubernetes:nvidia.com/v1beta1:DynamoGraphDeployment::a"
WANTED = graph_of(resolved(disagg_b200_settings()))


def _inputs(kind: str) -> dict[str, Any]:
    [resource] = [each for each in recorded(disagg_b200_settings()) if each.kind == kind]
    return copy.deepcopy(dict(resource.inputs))


def test_what_the_server_has_added_is_no_change() -> None:
    inputs = _inputs("DynamoGraphDeployment")
    live = copy.deepcopy(inputs) | {"status": {"state": "successful"}}
    for component in live["spec"]["components"]:
        component["minAvailable"] = 1
    [graph] = deployed({GRAPH: live | {"__inputs": inputs}}).graphs
    assert graph.makes_same_workers(WANTED)
    assert not deployed({GRAPH: live}).graphs[0].makes_same_workers(WANTED)


def test_a_claim_of_another_resource_is_not_the_model_cache() -> None:
    claim = f"{PREFIX}kubernetes:core/v1:PersistentVolumeClaim::scratch"
    assert deployed({claim: {"__inputs": _inputs("PersistentVolumeClaim")}}).volume is None
