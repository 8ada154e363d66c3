"""The operator stand-in on a real control plane: what a person sees with kubectl. Its pods are simulated."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from lab.charts import INDEX_FILE
from tests.lab_fixtures.graphs import toy_graph, worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

NAMESPACE = "operator-test"
GRAPHS = "graphs-test"
# The garbage collector learns of a new CRD only every 30 seconds; until then a graph's objects outlive it.
DEADLINE = 60.0


@pytest.fixture(scope="module")
def release(lab: Sandbox) -> Iterator[Sandbox]:
    """The platform's release, installed; graphs go into a namespace of their own."""
    lab.kubectl("create", "namespace", GRAPHS)
    install(lab)
    yield lab
    uninstall(lab)
    lab.kubectl("delete", "namespace", GRAPHS, NAMESPACE, "--wait=false")


@pytest.fixture
def cluster(release: Sandbox, tmp_path: Path) -> Iterator[Cluster]:
    """The cluster without any graph, before and after."""
    yield Cluster(release, tmp_path)
    for switch in release.directory.switches.iterdir():
        switch.unlink()
    release.kubectl("delete", "dynamographdeployments", "--all", "--namespace", GRAPHS, "--timeout=30s")
    # The garbage collector's part has a test of its own; here it would cost up to half a minute.
    release.kubectl("delete", "deployments,services", "--all", "--namespace", GRAPHS, "--timeout=30s")
    until(lambda: names(release, "pods") == [])


class Cluster:
    """What the tests do with the cluster."""

    def __init__(self, lab: Sandbox, folder: Path) -> None:
        self.lab = lab
        self._file = folder / "graph.json"

    def apply(self, graph: dict[str, Any], *flags: str, check: bool = True) -> Any:
        graph = graph | {"metadata": {"name": "toy", "namespace": GRAPHS}}
        self._file.write_text(json.dumps(graph), encoding="utf-8")
        return self.lab.kubectl("apply", "--server-side", "-f", str(self._file), *flags, check=check)

    def graph(self) -> dict[str, Any]:
        graph: dict[str, Any] = self.lab.get("dynamographdeployment", "toy", "--namespace", GRAPHS)
        return graph

    def await_condition(self, status: str) -> None:
        condition = f"--for=condition=Ready={status}"
        self.lab.kubectl(
            "wait", condition, "dynamographdeployment/toy", "--namespace", GRAPHS, "--timeout=30s"
        )

    def await_status(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        status: dict[str, Any] = {}

        def look() -> bool:
            status.update(self.graph().get("status", {}))
            return bool(status) and is_wanted(status)

        until(look)
        return status

    def names(self, kind: str) -> list[str]:
        return names(self.lab, kind)

    def switch(self, name: str) -> None:
        (self.lab.directory.switches / name).touch()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < deadline, f"not within {DEADLINE:.0f} s"


def names(lab: Sandbox, kind: str) -> list[str]:
    found = lab.get(kind, "--namespace", GRAPHS)["items"]
    return sorted(each["metadata"]["name"] for each in found)


def install(lab: Sandbox) -> None:
    charts = lab.directory.charts
    entry, *_ = json.loads((charts / INDEX_FILE).read_text(encoding="utf-8"))
    lab.run(
        "helm",
        *(
            "install",
            "dynamo-platform",
            str(charts / entry["path"]),
            "--namespace",
            NAMESPACE,
            "--create-namespace",
        ),
        *("--set", "global.nats.install=false", "--wait", "--timeout", "60s"),
    )


def uninstall(lab: Sandbox) -> None:
    lab.run("helm", "uninstall", "dynamo-platform", "--namespace", NAMESPACE, "--wait")


def message(status: dict[str, Any]) -> str:
    text: str = status["conditions"][0]["message"]
    return text


def test_a_graph_becomes_ready_with_labelled_and_probed_workers(cluster: Cluster) -> None:
    cluster.apply(toy_graph(), "--validate=strict")
    cluster.await_condition("True")
    deployments = cluster.lab.get("deployments", "--namespace", GRAPHS)["items"]
    types = {
        each["spec"]["template"]["metadata"]["labels"]["nvidia.com/dynamo-component-type"]: each
        for each in deployments
    }
    assert sorted(types) == ["decode", "frontend", "prefill"]
    for role in ("prefill", "decode"):
        (container,) = types[role]["spec"]["template"]["spec"]["containers"]
        assert container["startupProbe"]["failureThreshold"] == 720
        assert {"name": "DYN_COMPONENT", "value": role} in container["env"]
    assert cluster.graph()["status"]["state"] == "successful"


def test_the_origin_version_is_filled_in_and_deprecations_are_printed(cluster: Cluster) -> None:
    answer = cluster.apply(toy_graph(Decode=worker("decode", "4", dynamoNamespace="mine")))
    assert "spec.services[Decode].dynamoNamespace is deprecated and ignored" in answer.stderr
    annotations = cluster.graph()["metadata"]["annotations"]
    assert annotations["nvidia.com/dynamo-operator-origin-version"] == "1.2.1"


def test_a_graph_that_breaks_a_rule_is_refused_by_the_webhook(cluster: Cluster) -> None:
    graph = toy_graph(Decode=worker("decode", "4", volumeMounts=[{"name": "cache"}]))
    answer = cluster.apply(graph, check=False)
    assert answer.returncode != 0
    assert (
        'admission webhook "vdynamographdeployment.kb.io" denied the request: spec.services[Decode]'
        ".volumeMounts[0].mountPoint is required when useAsCompilationCache is false"
    ) in answer.stderr


def test_a_misspelt_field_inside_a_pod_spec_is_seen_by_the_api_server(cluster: Cluster) -> None:
    graph = toy_graph()
    graph["spec"]["services"]["Decode"]["extraPodSpec"]["tollerations"] = []
    answer = cluster.apply(graph, "--dry-run=server", "--validate=strict", check=False)
    assert "tollerations" in answer.stderr
    assert answer.returncode != 0


def test_applying_the_same_graph_again_writes_nothing(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.graph()["metadata"]
    cluster.apply(toy_graph())
    # A change elsewhere is seen by the same operator after this one, so it has had its turn by then.
    cluster.switch("graph-never-ready")
    cluster.await_condition("False")
    after = cluster.graph()["metadata"]
    assert (before["uid"], before["generation"]) == (after["uid"], after["generation"])


def test_a_worker_that_finds_no_room_is_named_with_its_counts(cluster: Cluster) -> None:
    cluster.apply(toy_graph(Decode=worker("decode", "16")))
    status = cluster.await_status(
        lambda each: "Prefill" not in message(each) and "Frontend" not in message(each)
    )
    assert message(status).startswith("Resources not ready: Decode: deployment/toy-decode-")
    assert message(status).endswith("desired=1, ready=0")


def test_component_type_main_fails_as_the_operator_fails_on_it(cluster: Cluster) -> None:
    cluster.apply(toy_graph(Decode=worker("decode", "4", componentType="main")))
    status = cluster.await_status(lambda each: each.get("state") == "failed")
    assert 'Unsupported value: "main"' in message(status)
    assert cluster.names("deployments") == []


def test_a_changed_worker_moves_all_workers_to_a_new_generation_and_the_frontend_stays(
    cluster: Cluster,
) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.names("deployments")
    cluster.apply(toy_graph(Decode=worker("decode", "4", envFromSecret="token")))
    cluster.await_status(lambda each: each.get("rollingUpdate", {}).get("phase") == "Completed")
    after = cluster.names("deployments")
    assert set(before) & set(after) == {"toy-frontend"}
    assert len(after) == 3
    assert cluster.names("services") == after


def test_scaling_changes_replicas_and_no_generation(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    before = cluster.names("deployments")
    cluster.apply(toy_graph(Prefill=worker("prefill", "1", replicas=3)))
    cluster.await_status(lambda each: each["services"]["Prefill"].get("readyReplicas") == 3)
    assert cluster.names("deployments") == before


@pytest.mark.parametrize("propagation", ["background", "foreground"])
def test_a_deleted_graph_takes_everything_with_it(cluster: Cluster, propagation: str) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    cluster.lab.kubectl(
        "delete",
        "dynamographdeployment",
        "toy",
        "--namespace",
        GRAPHS,
        f"--cascade={propagation}",
        "--timeout=30s",
    )
    for kind in ("deployments", "services", "pods", "roles", "rolebindings"):
        until(lambda kind=kind: cluster.names(kind) == [])
    assert cluster.names("serviceaccounts") == ["default"]


@pytest.mark.parametrize(
    ("switch", "gpus", "status"),
    [("graph-never-ready", "4", "False"), ("graph-ready-too-early", "16", "True")],
)
def test_a_switch_turns_the_graphs_condition(cluster: Cluster, switch: str, gpus: str, status: str) -> None:
    cluster.switch(switch)
    cluster.apply(toy_graph(Decode=worker("decode", gpus)))
    cluster.await_condition(status)


def test_a_webhook_that_is_not_ready_refuses_the_connection_while_graphs_are_reconciled(
    cluster: Cluster,
) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    cluster.switch("webhook-not-ready")
    changed = toy_graph(Prefill=worker("prefill", "1", replicas=2))
    until(lambda: "connection refused" in cluster.apply(changed, check=False).stderr)
    cluster.lab.kubectl("delete", "pods", "--all", "--namespace", GRAPHS, "--timeout=30s")
    cluster.await_condition("True")


def test_without_the_operator_a_graph_is_refused_and_a_deleted_one_hangs(cluster: Cluster) -> None:
    cluster.apply(toy_graph())
    cluster.await_condition("True")
    scale(cluster.lab, 0)
    changed = toy_graph(Prefill=worker("prefill", "1", replicas=2))
    until(lambda: "connect: connection refused" in cluster.apply(changed, check=False).stderr)
    cluster.lab.kubectl("delete", "dynamographdeployment", "toy", "--namespace", GRAPHS, "--wait=false")
    answer = cluster.lab.kubectl(
        "wait",
        "--for=delete",
        "dynamographdeployment/toy",
        "--namespace",
        GRAPHS,
        "--timeout=2s",
        check=False,
    )
    assert answer.returncode != 0
    assert cluster.graph()["metadata"]["finalizers"] == ["nvidia.com/finalizer"]
    scale(cluster.lab, 1)
    cluster.lab.kubectl(
        "wait", "--for=delete", "dynamographdeployment/toy", "--namespace", GRAPHS, "--timeout=30s"
    )


def scale(lab: Sandbox, replicas: int) -> None:
    name = "deployment/dynamo-platform-dynamo-operator-controller-manager"
    lab.kubectl("scale", name, "--namespace", NAMESPACE, f"--replicas={replicas}")
    lab.kubectl("rollout", "status", name, "--namespace", NAMESPACE, "--timeout=30s")
