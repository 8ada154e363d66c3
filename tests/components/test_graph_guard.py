"""Whether a graph's operator is there, from what the API server says of the graph."""

from typing import Any

import pytest

from components.cluster_answer import Answer
from components.cluster_reader import ClusterReader
from components.dynamo_objects import why_unconverted
from components.graph_guard import await_operator
from components.guard import StillNeededError
from resource_graph import Resource
from tests.components.recorded import recorded
from tests.support.clusters import NO_KIND, REFUSED, SILENT, UNCONVERTED, Told
from tests.support.dev_settings import dev_settings

GRAPH = {"metadata": {"name": "gpt-oss-disagg"}}
PLURAL = "dynamographdeployments"
AWAY = Told({PLURAL: [GRAPH]}, unconverted="v1beta1")


def _said(cluster: ClusterReader) -> str:
    return why_unconverted(cluster, "gpt-oss", "gpt-oss-disagg")


def _guards(settings: dict[str, Any]) -> list[Resource]:
    return [each for each in recorded(settings) if each.type.endswith(":GraphGuard")]


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_a_graph_that_nobody_converts_is_kept_whichever_of_its_versions_is_stored(version: str) -> None:
    cluster = Told({PLURAL: [GRAPH]}, unconverted=version)
    assert _said(cluster) == UNCONVERTED.why
    assert {(plural, name, namespace) for plural, name, namespace, _ in cluster.asked} == {
        (PLURAL, "gpt-oss-disagg", "gpt-oss")
    }


@pytest.mark.parametrize(
    "answer",
    [[GRAPH], [], NO_KIND, REFUSED, SILENT],
    ids=["served", "gone", "without-definition", "forbidden", "silent"],
)
def test_nothing_else_that_a_cluster_says_keeps_a_graph(answer: Answer | list[dict[str, Any]]) -> None:
    assert _said(Told({PLURAL: answer})) == ""


def test_a_refusal_names_error_cause_command_and_page_in_that_order() -> None:
    pauses: list[float] = []
    with pytest.raises(StillNeededError) as refused:
        await_operator(AWAY, "gpt-oss", "gpt-oss-disagg", "dynamo", pauses.append)
    assert sum(pauses) == 15
    error, cause, _, tries, page = str(refused.value).splitlines()
    assert error.startswith(
        "graph gpt-oss/gpt-oss-disagg cannot be deleted while the Dynamo operator is away"
    )
    assert UNCONVERTED.why in cause
    assert "`helm -n dynamo rollback dynamo-platform REVISION --wait`" in tries
    assert page == "  runbook: docs/runbook/operator-gone.md"


def test_an_operator_that_has_just_come_back_is_waited_for() -> None:
    cluster = Told({PLURAL: [GRAPH]}, unconverted="v1beta1")
    pauses: list[float] = []

    def back_after_the_third(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            object.__setattr__(cluster, "unconverted", "")

    await_operator(cluster, "gpt-oss", "gpt-oss-disagg", "dynamo", back_after_the_third)
    assert len(pauses) == 3


def test_the_guard_goes_before_the_graph_and_whatever_leads_to_it_and_before_the_platforms_guard() -> None:
    settings = dev_settings()
    settings["serving"]["podMonitor"] = {"labels": {"release": "prometheus"}}
    settings["serving"]["exposure"] = {"kind": "internalLoadBalancer"}
    [guard] = _guards(settings)
    kinds = {urn.rpartition("::")[0].rpartition(":")[2] for urn in guard.dependencies}
    assert kinds == {"DynamoGraphDeployment", "PlatformGuard", "PodMonitor", "Service"}


def test_the_guard_knows_nothing_of_a_graph_that_an_update_of_it_changes() -> None:
    settings = dev_settings()
    [before] = _guards(settings)
    settings["serving"]["replicas"] = {"frontend": 2}
    [after] = _guards(settings)
    assert before.inputs == after.inputs
    assert before.inputs["platformNamespace"] == "dynamo-system"


def test_guards_of_one_stack_share_a_plugin_and_one_on_somebody_elses_platform_has_its_own() -> None:
    theirs = dev_settings() | {"platform": {"kind": "existing", "version": "1.2.1", "namespace": "theirs"}}
    [guard] = _guards(theirs)
    assert guard.inputs["platformNamespace"] == "theirs"
    plugins = [
        [each.name for each in recorded(settings).of_type("pulumi:providers:pulumi-python")]
        for settings in (dev_settings(), theirs)
    ]
    assert plugins == [["platform-guard"], ["graph-guard"]]
