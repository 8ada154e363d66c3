"""Who else needs a platform, from what kubectl lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.cluster_answer import Answer, Said
from components.cluster_reader import ClusterReader
from components.platform_guard import (
    PlatformInUseError,
    await_parts,
    delete_parts,
    graphs_of_others,
    has_operator,
    left_parts,
    permit,
    refuse_parts,
)
from tests.components.recorded import recorded
from tests.support.dev_settings import dev_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.cluster_answer import Kind
    from resource_graph import Resource

LABEL = "uses-dynamo-platform"


class _Cluster(ClusterReader):
    """Answers as kubectl does."""

    definitions: Sequence[dict[str, Any]] | None = ({"metadata": {"name": "of-graphs"}},)
    graphs: Sequence[str] | None = ("gpt-oss/gpt-oss-disagg", "team-b/chat", "elsewhere/chat")

    def get(self, *_: str) -> dict[str, Any] | None:
        return {"spec": {"versions": [{"name": "v1alpha1", "storage": True}]}}

    def items(self, *words: str) -> Sequence[dict[str, Any]] | None:
        if words[0] == "customresourcedefinitions":
            return self.definitions
        if words[0] == "namespaces":
            return [
                {"metadata": {"name": "elsewhere", "labels": {LABEL: "another-platform"}}},
                {"metadata": {"name": "gpt-oss", "labels": {LABEL: "dynamo-system"}}},
            ]
        assert words == ("dynamographdeployments.v1alpha1.nvidia.com", "--all-namespaces")
        if self.graphs is None:
            return None
        named = [each.split("/") for each in self.graphs]
        return [{"metadata": {"namespace": namespace, "name": name}} for namespace, name in named]


def _guards(settings: dict[str, Any]) -> list[Resource]:
    return [each for each in recorded(settings) if each.type.endswith(":PlatformGuard")]


def _others(cluster: ClusterReader) -> tuple[str, ...] | None:
    return graphs_of_others(cluster, "dynamo-system", ["gpt-oss"])


def test_graphs_outside_the_stacks_own_namespace_need_its_platform_unless_they_name_another() -> None:
    assert _others(_Cluster("c")) == ("team-b/chat",)


def test_a_cluster_without_definitions_of_graphs_has_none_and_a_silent_one_is_not_known() -> None:
    class Empty(_Cluster):
        definitions = ()

    class Silent(_Cluster):
        definitions = None

    class Refusing(_Cluster):
        graphs = None

    assert [_others(each("c")) for each in (Empty, Silent, Refusing)] == [(), None, None]


def test_every_graph_must_be_named_that_loses_its_platform() -> None:
    variable = "DYNAMO_STACK_WITHOUT_PLATFORM"
    permit((), {})
    permit(("a/x", "b/y"), {variable: "b/y, a/x,old/gone"})
    for typed in ({}, {variable: "a/x"}, {variable: "true"}):
        with pytest.raises(PlatformInUseError) as refused:
            permit(("a/x", "b/y"), typed)
        assert "\n  a/x\n  b/y\n" in str(refused.value)
        assert f"{variable}=a/x,b/y pulumi destroy" in str(refused.value)


def test_parts_of_a_graph_that_is_gone_are_waited_for_and_then_refused() -> None:
    class Orphaned(_Cluster):
        def items(self, *words: str) -> Sequence[dict[str, Any]] | None:
            label = "nvidia.com/dynamo-graph-deployment-name"
            owners = ["gone", "serves"] if words[0].startswith("dynamocomponent") else []
            names = ["serves"] if words[0].startswith("dynamograph") else []
            return [
                *({"metadata": {"name": f"{each}-worker", "labels": {label: each}}} for each in owners),
                *({"metadata": {"name": each}} for each in names),
            ]

    left = left_parts(Orphaned("c"), ["gpt-oss"])
    assert left == ("gpt-oss/gone",)
    pauses: list[float] = []
    with pytest.raises(PlatformInUseError) as refused:
        await_parts(lambda: left, lambda _: "failed calling webhook", {}, pauses.append)
    assert sum(pauses) == 60
    assert "\n  gpt-oss/gone\n" in str(refused.value)
    assert "The cluster refused to delete them: failed calling webhook\n" in str(refused.value)
    assert "docs/runbook/operator-gone.md" in str(refused.value)
    named = {"DYNAMO_STACK_WITHOUT_PLATFORM": "gpt-oss/gone"}
    await_parts(lambda: left, pytest.fail, named, pauses.append)


def test_parts_of_graphs_that_cannot_be_listed_are_not_taken_for_left() -> None:
    class Refusing(_Cluster):
        def items(self, *words: str) -> Sequence[dict[str, Any]] | None:
            label = "nvidia.com/dynamo-graph-deployment-name"
            part = {"metadata": {"name": "serves-worker", "labels": {label: "serves"}}}
            return [part] if words[0].startswith("dynamocomponent") else None

    assert left_parts(Refusing("c"), ["gpt-oss"]) == ()


def test_a_deletion_that_an_operator_refuses_that_has_just_come_back_is_asked_for_again() -> None:
    left = ["gpt-oss/gone"]
    answers = ["failed calling webhook", "connection refused", ""]

    def delete(graphs: tuple[str, ...]) -> str:
        assert graphs == ("gpt-oss/gone",)
        said = answers.pop(0)
        if not said:
            left.clear()
        return said

    await_parts(lambda: tuple(left), delete, {}, lambda _: None)
    assert answers == []


def test_parts_of_a_graph_that_is_gone_are_deleted_at_the_version_that_is_stored() -> None:
    deleted: list[tuple[str, ...]] = []

    class Deleting(_Cluster):
        def delete(self, *words: str) -> str:
            deleted.append(words)
            return "refused"

    assert delete_parts(Deleting("c"), ["gpt-oss/gone"]) == "refused"
    kind, label = "dynamocomponentdeployments.v1alpha1.nvidia.com", "nvidia.com/dynamo-graph-deployment-name"
    assert deleted == [(kind, "--namespace", "gpt-oss", "--selector", f"{label}=gone")]


def test_nobody_waits_for_an_operator_that_has_no_pod() -> None:
    class Operated(_Cluster):
        answer = Answer.of([{"status": {"readyReplicas": 1}}])

        def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
            labels = "app.kubernetes.io/created-by=dynamo-operator,control-plane=controller-manager"
            assert (kind.plural, name, namespace) == ("deployments", "", "dynamo-system")
            assert selectors == {"labelSelector": labels}
            return self.answer

    class Away(Operated):
        answer = Answer.of([{"status": {}}])

    class Gone(Operated):
        answer = Answer.of([])

    class Silent(Operated):
        answer = Answer(Said.UNREACHABLE, why="no answer")

    seen = [has_operator(each("c"), "dynamo-system") for each in (Operated, Away, Gone, Silent)]
    assert seen == [True, False, False, True]
    with pytest.raises(PlatformInUseError):
        refuse_parts(("gpt-oss/gone",), {})


def test_the_guard_goes_before_everything_that_graphs_need() -> None:
    [guard] = _guards(dev_settings())
    kinds = {urn.rpartition("::")[0].rpartition(":")[2] for urn in guard.dependencies}
    assert kinds == {"Release", "NetworkPolicy"}
    assert guard.inputs["ownNamespaces"] == ["gpt-oss"]


def test_a_stack_on_somebody_elses_platform_has_no_guard() -> None:
    settings = dev_settings()
    settings["platform"] = {"kind": "existing", "version": "1.2.1"}
    assert _guards(settings) == []
