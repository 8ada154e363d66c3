"""The operator stand-in on a real control plane, where no rehearsal looks. Its pods are simulated."""

import json
from collections.abc import Iterator
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.lab.fixtures.charts import packaged
from tests.lab.fixtures.graphs import toy_graph, worker
from tests.support.sandbox import Sandbox
from tests.support.waiting import until
from tests.updates.watching import Watch

pytestmark = pytest.mark.lab

PLATFORM, NAMESPACE = "operator-test", "graphs-test"
GRAPHS = f"/apis/nvidia.com/v1alpha1/namespaces/{NAMESPACE}/dynamographdeployments"


@pytest.fixture(scope="module")
def cluster(lab: Sandbox) -> Iterator[Sandbox]:
    """The platform's release, and one graph that is Ready."""
    lab.kubectl("create", "namespace", NAMESPACE)
    release = ("dynamo-platform", str(packaged(lab, "dynamo-platform")), "--namespace", PLATFORM)
    values = ("--set", "global.nats.install=false", "--wait", "--timeout", "60s")
    lab.run("helm", "install", *release, "--create-namespace", *values)
    graph = "dynamographdeployment/toy"
    send(lab, toy_graph(), "apply", "--server-side", "--validate=strict")
    lab.kubectl("wait", "--for=condition=Ready", graph, "--namespace", NAMESPACE, "--timeout=30s")
    yield lab
    # While the operator is there to let go, and whole: the next file begins with the same names.
    lab.kubectl("delete", "namespace", NAMESPACE, "--timeout=60s")
    lab.run("helm", "uninstall", "dynamo-platform", "--namespace", PLATFORM, "--wait")
    lab.kubectl("delete", "namespace", PLATFORM, "--timeout=60s")


def send(lab: Sandbox, graph: dict[str, Any], *command: str, **options: Any) -> CompletedProcess[str]:
    text = json.dumps(graph | {"metadata": {"name": "toy", "namespace": NAMESPACE}})
    return lab.kubectl(*command, "-f", "-", stdin=text, **options)


def test_a_graph_that_is_at_rest_is_not_written(cluster: Sandbox) -> None:
    kinds = ("dynamographdeployments", "dynamocomponentdeployments", "deployments")

    def versions() -> list[str]:
        found = (cluster.get(kind, "--namespace", NAMESPACE)["items"] for kind in kinds)
        return [each["metadata"]["resourceVersion"] for items in found for each in items]

    seen: list[list[str]] = []

    def rests() -> bool:
        seen.append(versions())
        return len(seen) > 6 and all(each == seen[-1] for each in seen[-6:])

    # What is not written changes nothing that a watch would tell.
    until(rests, "rest", 60)


def test_a_changed_graph_says_for_a_moment_that_its_last_generation_is_ready(cluster: Sandbox) -> None:
    variables = [{"name": "TOKEN", "value": "1"}]
    with Watch(cluster, GRAPHS) as graphs:
        send(cluster, toy_graph(Decode=worker("decode", "4", envs=variables)), "apply", "--server-side")
        until(
            lambda: any(each.object["metadata"]["generation"] == 2 for each in graphs.events),
            "the change",
            60,
        )
    changed = next(each.object for each in graphs.events if each.object["metadata"]["generation"] == 2)
    assert changed["status"]["observedGeneration"] == 1
    assert changed["status"]["conditions"][0]["status"] == "True"
