"""What the tests of faults share: a stack that is broken and healed, and the clock between the two."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.lab_stack import LabStack
from tests.support.measured import record

NAMESPACE, PLATFORM = "gpt-oss", "dynamo-system"
GRAPH = "gpt-oss-disagg"
GRAPHS = "dynamographdeployments.nvidia.com"


@pytest.fixture
def fault(request: pytest.FixtureRequest) -> Iterator[Callable[[str], None]]:
    """Call it with what was predicted once the graph is ready again; the clock runs from the test's start."""
    started = time.monotonic()
    predictions: list[str] = []
    yield predictions.append
    name = request.node.name.removeprefix("test_").replace("_", " ")
    for predicted in predictions:
        record("fault", name, time.monotonic() - started, predicted)


def ask_for(stack: LabStack, *, frontends: int, ready_seconds: int | None = None) -> None:
    """A change that makes `up` wait for the graph without rolling a worker; with a deadline of its own."""

    def change(settings: dict[str, Any]) -> None:
        serving = settings["serving"]
        serving["replicas"] = {"frontend": frontends}
        serving.pop("readyTimeoutSeconds", None)
        if ready_seconds is not None:
            serving["readyTimeoutSeconds"] = ready_seconds

    stack.change_settings(change)


def is_ready(stack: LabStack, namespace: str = NAMESPACE) -> bool:
    """Whether the operator reports the graph Ready."""
    graph = stack.lab.get(GRAPHS, GRAPH, "-n", namespace)
    status = graph.get("status", {})
    return status.get("observedGeneration") == graph["metadata"]["generation"] and any(
        each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions", [])
    )
