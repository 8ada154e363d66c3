"""Who else needs a platform, from what the cluster lists."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from components.cluster_answer import Answer
from components.guard import GuardProvider, StillNeededError, guarded_cluster
from components.platform_guard import (
    PlatformGuardProvider,
    await_parts,
    delete_parts,
    graphs_of_others,
    has_operator,
    left_parts,
    permit,
)
from resource_graph import Resource
from tests.components.recorded import recorded
from tests.support.clusters import NO_KIND, REFUSED, SILENT, Told, kubeconfig_of
from tests.support.dev_settings import dev_settings

LABEL = "uses-dynamo-platform"
OF_GRAPH = "nvidia.com/dynamo-graph-deployment-name"
NAMESPACES = [
    {"metadata": {"name": "elsewhere", "labels": {LABEL: "another-platform"}}},
    {"metadata": {"name": "gpt-oss", "labels": {LABEL: "dynamo-system"}}},
]


def _graph(namespace: str, name: str) -> dict[str, Any]:
    return {"metadata": {"namespace": namespace, "name": name}}


def _part(owner: str) -> dict[str, Any]:
    return {"metadata": {"name": f"{owner}-worker", "labels": {OF_GRAPH: owner}}}


def _operator(**status: int) -> dict[str, Any]:
    return {"metadata": {"name": "operator"}, "status": status}


def _cluster(graphs: Answer | Sequence[dict[str, Any]], parts: Sequence[dict[str, Any]] = ()) -> Told:
    kinds = {"namespaces": NAMESPACES, "dynamographdeployments": graphs, "dynamocomponentdeployments": parts}
    return Told(kinds)


def _left(*said: str) -> Told:
    """A graph that serves, parts of one that is gone, and what the cluster says of each deletion of them."""
    parts, answers = [_part("gone"), _part("serves")], list(said)

    class Left(Told):
        def delete(self, *words: str) -> str:
            assert words[-4:] == ("--namespace", "gpt-oss", "--selector", f"{OF_GRAPH}=gone")
            if not (answer := answers.pop(0)):
                parts.clear()
            return answer

    return Left(
        {"dynamographdeployments": [_graph("gpt-oss", "serves")], "dynamocomponentdeployments": parts}
    )


def _guards(settings: dict[str, Any]) -> list[Resource]:
    return [each for each in recorded(settings) if each.type.endswith(":PlatformGuard")]


@pytest.mark.parametrize(
    ("graphs", "others"),
    [
        (
            [_graph("gpt-oss", "gpt-oss-disagg"), _graph("team-b", "chat"), _graph("elsewhere", "chat")],
            ("team-b/chat",),
        ),
        (NO_KIND, ()),
        (SILENT, None),
        (REFUSED, None),
    ],
    ids=["some", "no definition of graphs", "silent", "forbidden"],
)
def test_graphs_outside_its_own_namespace_need_a_platform_unless_they_name_another(
    graphs: Answer | list[dict[str, Any]], others: tuple[str, ...] | None
) -> None:
    assert graphs_of_others(_cluster(graphs), "dynamo-system", ["gpt-oss"]) == others


def test_a_cluster_that_does_not_answer_keeps_no_stack_from_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    props = {
        "context": "there",
        "kubeconfigFile": kubeconfig_of(tmp_path, 1),
        "platformNamespace": "dynamo-system",
        "ownNamespaces": ["gpt-oss"],
    }
    PlatformGuardProvider().delete("an-id", props)
    said = "".join(capsys.readouterr())
    assert "not checked: whether graphs of other stacks need this platform" in said


def test_every_graph_must_be_named_that_loses_its_platform() -> None:
    variable = "DYNAMO_STACK_WITHOUT_PLATFORM"
    permit((), {})
    permit(("a/x", "b/y"), {variable: "b/y, a/x,old/gone"})
    for typed in ({}, {variable: "a/x"}, {variable: "true"}):
        with pytest.raises(StillNeededError) as refused:
            permit(("a/x", "b/y"), typed)
        assert "\n  a/x\n  b/y\n" in str(refused.value)
        assert f"{variable}=a/x,b/y pulumi destroy" in str(refused.value)


def test_parts_of_a_graph_that_is_gone_are_waited_for_and_then_refused() -> None:
    refusing = _left(*["failed calling webhook"] * 20)
    assert left_parts(refusing, ["gpt-oss"]) == ("gpt-oss/gone",)
    pauses: list[float] = []
    with pytest.raises(StillNeededError) as refused:
        await_parts(refusing, ["gpt-oss"], {}, pauses.append)
    assert sum(pauses) == 60
    assert "\n  gpt-oss/gone\n" in str(refused.value)
    assert "The cluster refused to delete them: failed calling webhook\n" in str(refused.value)
    assert "docs/runbook/operator-gone.md" in str(refused.value)
    named = {"DYNAMO_STACK_WITHOUT_PLATFORM": "gpt-oss/gone"}
    await_parts(_left(), ["gpt-oss"], named, pauses.append)


def test_parts_of_graphs_that_cannot_be_listed_are_not_taken_for_left() -> None:
    for unlisted in (REFUSED, NO_KIND):
        assert left_parts(_cluster(unlisted, [_part("serves")]), ["gpt-oss"]) == ()


def test_a_deletion_that_an_operator_refuses_that_has_just_come_back_is_asked_for_again() -> None:
    cluster = _left("failed calling webhook", "connection refused", "")
    await_parts(cluster, ["gpt-oss"], {}, lambda _: None)
    assert left_parts(cluster, ["gpt-oss"]) == ()


def test_parts_of_a_graph_that_is_gone_are_deleted_at_the_version_that_is_stored() -> None:
    deleted: list[tuple[str, ...]] = []

    class Deleting(Told):
        def delete(self, *words: str) -> str:
            deleted.append(words)
            return "refused"

    name = "dynamocomponentdeployments.nvidia.com"
    versions = [{"name": "v1beta1"}, {"name": "v1alpha1", "storage": True}]
    definition = {"metadata": {"name": name}, "spec": {"versions": versions}}
    cluster = Deleting({"customresourcedefinitions": [definition]})
    assert delete_parts(cluster, ["gpt-oss/gone"]) == "refused"
    kind = "dynamocomponentdeployments.v1alpha1.nvidia.com"
    assert deleted == [(kind, "--namespace", "gpt-oss", "--selector", f"{OF_GRAPH}=gone")]


@pytest.mark.parametrize(
    ("answer", "is_there"),
    [([_operator(readyReplicas=1)], True), ([_operator()], False), ([], False), (SILENT, True)],
    ids=["ready", "away", "gone", "silent"],
)
def test_an_operator_is_there_unless_the_cluster_says_that_it_has_no_pod(
    answer: Answer | list[dict[str, Any]], is_there: bool
) -> None:
    cluster = Told({"deployments": answer})
    assert has_operator(cluster, "dynamo-system") is is_there
    labels = "app.kubernetes.io/created-by=dynamo-operator,control-plane=controller-manager"
    assert cluster.asked == [("deployments", "", "dynamo-system", {"labelSelector": labels})]


def test_the_guard_goes_before_everything_that_graphs_need() -> None:
    [guard] = _guards(dev_settings())
    kinds = {urn.rpartition("::")[0].rpartition(":")[2] for urn in guard.dependencies}
    assert kinds == {"Release", "NetworkPolicy"}
    assert guard.inputs["ownNamespaces"] == ["gpt-oss"]


def test_a_stack_on_somebody_elses_platform_has_no_guard() -> None:
    assert _guards(dev_settings() | {"platform": {"kind": "existing", "version": "1.2.1"}}) == []


def test_a_guard_asks_the_cluster_of_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    own = guarded_cluster({"context": "eks", "kubeconfig": "apiVersion: v1"})
    assert (own.context, own.kubeconfig, own.content) == ("eks", None, "apiVersion: v1")
    # kubectl does not know whose home that is.
    assert guarded_cluster({"context": "c", "kubeconfigFile": "~/kube"}).kubeconfig == "/home/me/kube"


def test_only_other_inputs_change_a_guard() -> None:
    guard = GuardProvider()
    assert not guard.diff("", {"context": "a"}, {"context": "a"}).changes
    assert guard.diff("", {"context": "a"}, {"context": "b"}).changes
    assert guard.update("", {"context": "a"}, {"context": "b"}).outs == {"context": "b"}
