"""A graph that serves is broken in one place; `smoke` ends with exit code 1 and names the place.

Other places: tests/operations/smoke/test_absent_workers.py, tests/failures/test_pod_causes.py.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.operations.doctor.first_line import sick
from tests.serving.live_graph import GRAPH, MODEL, NAMESPACE, WORKERS, LiveGraph, has_ended
from tests.serving_stacks.rehearsal import prepare
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

LABEL = "nvidia.com/dynamo-discovery-enabled"
CACHE = "model-cache"

Container = dict[str, Any]


@pytest.fixture(scope="module")
def graph(own_serving_lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> LiveGraph:
    """Stack dev, whose workers have no room for a surge: a change ends all of them first."""
    stack = prepare(own_serving_lab, tmp_path_factory.mktemp("broken"), "dev")
    stack.pulumi("up", "--yes", "--skip-preview")
    stack.dynamo_stack("smoke", stack.name)
    return LiveGraph(stack)


def _main(change: Callable[[Container], None]) -> Callable[[dict[str, Any]], None]:
    """The change of a component that changes its main container."""
    return lambda component: change(component["podTemplate"]["spec"]["containers"][0])


def _argument(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(container: Container) -> None:
        [line] = container["args"]
        assert line.count(old) == 1, line
        container["args"] = [line.replace(old, new)]

    return _main(change)


def _without_cache(container: Container) -> None:
    container["volumeMounts"] = [each for each in container["volumeMounts"] if each["name"] != CACHE]


def test_the_models_mount_removed_is_named_by_the_path_that_is_missing(graph: LiveGraph) -> None:
    graph.edit("decode", _main(_without_cache))
    until(lambda: any(has_ended(pod) for pod in graph.pods("decode")), "the end of a decode worker")
    wrong = graph.smoke()["workers"]
    name, said = graph.pod("decode"), wrong["found"]
    assert said.startswith("no decode worker is registered; registered: dyn://")
    assert f"pod {name}: " in said
    assert f"logs {name} --namespace {NAMESPACE} --tail=20" in wrong["fix"]
    assert f"pod {name}" in sick(graph.stack)
    assert "ended with exit code 1: OSError: /opt/models/hub/models--openai--gpt-oss-120b/snapshots/" in said
    assert "the model is not where --model-path says" in said


def test_workers_under_another_name_are_named(graph: LiveGraph) -> None:
    graph.edit("decode", _argument(f'"{MODEL}"', '"gpt-oss-120b"'))
    graph.until_ready(*WORKERS)
    wrong = graph.smoke()["model"]
    # Listed all the same: prefill has it. No request is answered.
    assert f"pod {graph.pod('decode')} has registered as gpt-oss-120b" in wrong["found"]
    assert wrong["fix"].startswith("--served-model-name of the workers")
    assert f"the model is not served: {MODEL} is listed; pod {graph.pod('decode')} has registered as" in sick(
        graph.stack
    )


def test_a_frontend_without_the_models_mount_is_named_by_its_own_log(graph: LiveGraph) -> None:
    graph.edit("frontend", _main(_without_cache))
    graph.until_ready("frontend", *WORKERS)
    said = graph.smoke()["model"]["found"]
    assert said.startswith(f"{MODEL} is not listed; listed: none")
    assert f"pod {graph.pod('frontend')} logs: Error adding model from discovery" in said
    assert "not found in cache" in said
    assert f"the model is not served: {MODEL} is not listed; listed: none" in sick(graph.stack)


def test_services_without_the_discovery_label_are_named_and_with_it_the_graph_answers(
    graph: LiveGraph,
) -> None:
    graph.mend()
    services = ("services", "-n", NAMESPACE, "-l", "nvidia.com/dynamo-component=TrtllmDecodeWorker")
    graph.stack.lab.kubectl("label", *services, f"{LABEL}-")
    wrong = graph.smoke()["workers"]
    name, said = graph.pod("decode"), wrong["found"]
    assert f"pod {name}: Ready, and not registered: the EndpointSlice of Service {GRAPH}-trtllmdecode" in said
    assert f"lists it without the label {LABEL}=true" in said
    assert f"--label-columns {LABEL}" in wrong["fix"]
    assert "a worker is missing: no decode worker is registered" in sick(graph.stack)
    graph.stack.lab.kubectl("label", *services, f"{LABEL}=true")
    graph.stack.dynamo_stack("smoke", graph.stack.name)
