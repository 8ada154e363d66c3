"""Conflicts: of a field, which a person has to end, and of a write, which passes.

For 1 to 4 s after an update the operator may call a graph failed, for a write conflict of its own.

The real one did in 9 of 36 updates (docs/conformance.md) and tried again by itself: nothing may take it for
an end.
"""

from typing import Any

import pytest

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


HEAD = 'The resource managed by field manager "pulumi-kubernetes-0badcafe" had an apply conflict: '


ONE = 'Apply failed with 1 conflict: conflict with "autoscaler" using nvidia.com/v1alpha1: .spec.a.b'
SEVERAL = (
    'Apply failed with 3 conflicts: conflicts with "autoscaler" using v1:\n- .spec.a\n- .spec.b\n'
    'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
)


@pytest.mark.parametrize(
    ("conflicts", "said"),
    [
        (ONE, "of DynamoGraphDeployment gpt-oss-disagg:\n  .spec.a.b, set by autoscaler\n"),
        (
            SEVERAL,
            "  .spec.a, set by autoscaler\n  .spec.b, set by autoscaler\n"
            "  .spec.replicas, set by kubectl (scale)\n",
        ),
        ("Apply failed", "the error below names the field"),
    ],
    ids=["one", "several", "words that nobody knows"],
)
def test_a_conflict_names_fields_and_managers_and_both_ways_out(conflicts: str, said: str) -> None:
    text = conflict_text(SUBJECT, "dev", HEAD + conflicts)
    assert said in text
    for way in (
        "dynamo-stack drift dev",
        "`kubectl edit DynamoGraphDeployment/gpt-oss-disagg --namespace gpt-oss`",
        "`pulumi up --refresh --stack dev`",
        "Pulumi.dev.yaml",
    ):
        assert way in text
    assert "FORCE" not in text
    assert "pulumi-kubernetes-0badcafe" not in text
