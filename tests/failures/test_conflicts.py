"""Conflicts: of a field, which a person has to end, and of a write, which passes.

For 1 to 4 s after an update the operator may call a graph failed, for a write conflict of its own.

The real one did in 9 of 36 updates (docs/conformance.md) and tried again by itself: nothing may take it for
an end.
"""

from typing import Any

from failures.early_end import causes, pods_of
from failures.explanation import Subject
from failures.failed_operation import conflict_text
from failures.health import ServingObjects, health_problems
from lab.dynamo_operator.status import Outcome, graph_status
from tests.failures.conftest import CLUSTER, READY, AnsweringCluster
from tests.support.clusters import Told

KIND, NAME, NAMESPACE = "DynamoGraphDeployment", "gpt-oss-disagg", "gpt-oss"
SUBJECT = Subject(KIND, NAME, NAMESPACE)
GRAPHS = "dynamographdeployments.v1alpha1.nvidia.com"
DEFINITION = {"spec": {"versions": [{"name": "v1alpha1", "storage": True}]}}


# Recorded with whatever component was written twice, of a generation that had been looked at.
CONFLICT = (
    "failed to reconcile Dynamo components deployments: failed to sync the DynamoComponentDeployment: "
    "Operation cannot be fulfilled on dynamocomponentdeployments.nvidia.com: the object has been modified; "
    "please apply your changes to the latest version and try again"
)


def graph(failure: str = "") -> dict[str, Any]:
    made = {"kind": KIND, "metadata": {"name": NAME, "namespace": NAMESPACE, "generation": 3}}
    seen = made | {"status": {"observedGeneration": 3}}
    return made | {"status": graph_status(seen, Outcome(failure=failure), "2026-11-24T12:00:00Z")}


FAILED, WELL = graph(CONFLICT), graph()


def test_an_up_waits_on_for_a_graph_that_its_operator_calls_failed(cluster: AnsweringCluster) -> None:
    cluster.answers(
        pods=[READY],
        customresourcedefinitions=DEFINITION,
        **{GRAPHS: FAILED, "dynamographdeployments": FAILED, "dynamographdeployments.nvidia.com": FAILED},
    )
    assert causes(CLUSTER, SUBJECT, pods_of(CLUSTER, SUBJECT)) == []


def test_the_check_at_the_end_of_an_up_waits_on_until_the_graph_is_well() -> None:
    served = ServingObjects(NAMESPACE, NAME)
    found, after = (
        health_problems(Told({"dynamographdeployments": [item]}), served) for item in (FAILED, WELL)
    )
    assert found
    assert [each.may_pass for each in found] == [True]
    assert "Operation cannot be fulfilled" in found[0].what
    assert after == ()


def test_a_conflict_names_both_ways_out() -> None:
    text = conflict_text(SUBJECT, "dev")
    for way in (
        "dynamo-stack drift dev",
        "`kubectl edit DynamoGraphDeployment/gpt-oss-disagg --namespace gpt-oss`",
        "`pulumi up --refresh --stack dev`",
        "Pulumi.dev.yaml",
    ):
        assert way in text
    assert "FORCE" not in text
