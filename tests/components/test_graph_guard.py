"""Whether a graph's operator is there, from what the API server says of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.cluster_answer import Answer, Said
from components.cluster_reader import ClusterReader
from components.dynamo_objects import why_unconverted
from components.graph_guard import OperatorAwayError, await_operator
from tests.components.recorded import recorded
from tests.support.dev_settings import dev_settings

if TYPE_CHECKING:
    from components.cluster_answer import Kind
    from resource_graph import Resource

NO_SERVICE = (
    "the API server answers conversion webhook for nvidia.com/v1alpha1, Kind=DynamoGraphDeployment failed: "
    'Post "https://dynamo-platform-dynamo-operator-webhook-service.dynamo-system.svc:443/convert": service '
    '"dynamo-platform-dynamo-operator-webhook-service" not found'
)
FOUND = Answer.of([{"metadata": {"name": "gpt-oss-disagg"}}])


class _Cluster(ClusterReader):
    """A cluster with the graph, which is stored as v1alpha1."""

    stored, converted = FOUND, FOUND

    def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
        assert (kind.plural, kind.group) == ("dynamographdeployments", "nvidia.com")
        assert (namespace, name, selectors) == ("gpt-oss", "gpt-oss-disagg", {})
        return {"v1alpha1": self.stored, "v1beta1": self.converted}[str(kind.version)]


class _Away(_Cluster):
    converted = Answer(Said.UNREACHABLE, why=NO_SERVICE)


def _said(cluster: ClusterReader) -> str:
    return why_unconverted(cluster, "gpt-oss", "gpt-oss-disagg")


def _guards(settings: dict[str, Any]) -> list[Resource]:
    return [each for each in recorded(settings) if each.type.endswith(":GraphGuard")]


def test_a_graph_that_nobody_converts_is_kept_whichever_of_its_versions_is_stored() -> None:
    class StoredAsBeta(_Cluster):
        stored = _Away.converted

    assert [_said(each("c")) for each in (_Away, StoredAsBeta)] == [NO_SERVICE, NO_SERVICE]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(FOUND, id="served"),
        pytest.param(Answer(Said.EMPTY), id="gone"),
        pytest.param(Answer(Said.ABSENT), id="without-definition"),
        pytest.param(Answer(Said.FORBIDDEN, why="dynamographdeployments is forbidden"), id="forbidden"),
        pytest.param(Answer(Said.UNREACHABLE, why="the API server does not answer: refused"), id="silent"),
    ],
)
def test_nothing_else_that_a_cluster_says_keeps_a_graph(answer: Answer) -> None:
    class Answering(_Cluster):
        stored = converted = answer

    assert _said(Answering("c")) == ""


def test_a_refusal_names_error_cause_command_and_page_in_that_order() -> None:
    pauses: list[float] = []
    with pytest.raises(OperatorAwayError) as refused:
        await_operator(_Away("c"), "gpt-oss", "gpt-oss-disagg", "dynamo", pauses.append)
    assert sum(pauses) == 15
    error, cause, _, tries, page = str(refused.value).splitlines()
    assert error.startswith(
        "graph gpt-oss/gpt-oss-disagg cannot be deleted while the Dynamo operator is away"
    )
    assert NO_SERVICE in cause
    assert "`helm -n dynamo rollback dynamo-platform REVISION --wait`" in tries
    assert page == "  runbook: docs/runbook/operator-gone.md"


def test_an_operator_that_has_just_come_back_is_waited_for() -> None:
    class Returning(_Away):
        def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
            return super().ask(kind, name, namespace, **selectors) if len(pauses) < 3 else FOUND

    pauses: list[float] = []
    await_operator(Returning("c"), "gpt-oss", "gpt-oss-disagg", "dynamo", pauses.append)
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
