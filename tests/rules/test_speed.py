"""All rules on large programs: none is slower by the resource."""

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from resource_graph import Resource, ResourceGraph
from rules.catalogue import rules_on
from rules.run import run_rules
from tests.rules.judging import TODAY
from tests.support.compared_times import assert_at_most, processor_seconds
from tests.support.measured import record
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_stack

SMALL, LARGE = 2_500, 10_000
ALLOWED_GROWTH = 1.4
"""How much dearer a resource may be among four times as many; a quadratic rule makes it four."""
SHOULD_TAKE_SECONDS = 2.0
"""For the many, on the machine of CONTRIBUTING.md; `make bench` prints it beside what it measured."""
FEW_STACKS = 5

Shape = Callable[[list[Resource], int], Iterator[Resource]]


def many_ordinary_objects(stack: list[Resource], count: int) -> Iterator[Resource]:
    """A few stacks among what any cluster is full of."""
    yield from stacks(stack, FEW_STACKS)
    ordinary = list(others())
    for number in range(count - FEW_STACKS * len(stack)):
        yield numbered(ordinary[number % len(ordinary)], number)


def many_graphs(stack: list[Resource], count: int) -> Iterator[Resource]:
    """Nothing but stacks, each graph with its engine files, volume, download, policies and NATS."""
    yield from stacks(stack, count // len(stack))


def stacks(stack: list[Resource], count: int) -> Iterator[Resource]:
    for number in range(count):
        for resource in stack:
            yield numbered(resource, number)


def numbered(resource: Resource, number: int) -> Resource:
    """The resource again, in a namespace of its own; each engine file is another text."""
    inputs: dict[str, Any] = copy.deepcopy(dict(resource.inputs))
    if resource.kind is not None:
        inputs["metadata"]["namespace"] = f"team-{number}"
    if resource.kind == "ConfigMap":
        inputs["data"] = {key: f"{text}# {number}\n" for key, text in inputs["data"].items()}
    return dataclasses.replace(
        resource,
        urn=f"{resource.urn}-{number}",
        inputs=inputs,
        parent=f"{resource.parent}-{number}" if resource.parent else None,
        dependencies=frozenset(f"{urn}-{number}" for urn in resource.dependencies),
    )


def others() -> Iterator[Resource]:
    pod = {"containers": [{"name": "web", "image": "nginx:1.29.1", "env": [{"name": "PORT", "value": "80"}]}]}
    selector = {"matchLabels": {"app": "web"}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod}
    bodies: dict[str, tuple[str, dict[str, Any]]] = {
        "ConfigMap": ("v1", {"data": {"settings.yaml": "port: 80\n"}}),
        "Service": ("v1", {"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}),
        "Deployment": ("apps/v1", {"spec": {"replicas": 2, "selector": selector, "template": template}}),
        "Pod": ("v1", {"spec": pod}),
        "PersistentVolumeClaim": (
            "v1",
            {"spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "a"}},
        ),
        "Secret": ("v1", {"stringData": {"password": "x"}}),
        "NetworkPolicy": ("networking.k8s.io/v1", {"spec": {"podSelector": selector}}),
    }
    for kind, (api_version, body) in bodies.items():
        inputs = {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": f"web-{kind.lower()}"},
            **body,
        }
        yield Resource(urn=f"web-{kind}", type=f"kubernetes:{api_version}:{kind}", name="web", inputs=inputs)


@pytest.fixture(scope="module")
def stack() -> list[Resource]:
    """What stack disagg-b200 serves, as its program registers it."""
    return list(recorded_stack(served_stack("disagg-b200")))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [many_ordinary_objects, many_graphs], ids=lambda shape: shape.__name__)
def test_none_of_ten_thousand_resources_is_dearer_for_the_others(stack: list[Resource], shape: Shape) -> None:
    few, many = list(shape(stack, SMALL)), list(shape(stack, LARGE))
    small, large = assert_at_most(ALLOWED_GROWTH * LARGE / SMALL, lambda: seconds(few), lambda: seconds(many))
    record(
        "rules",
        f"{LARGE:,} resources, {shape.__name__.replace('_', ' ')}",
        large,
        f"{SMALL:,} of them: {small:.2f} s; should stay below {SHOULD_TAKE_SECONDS} s",
    )


def seconds(resources: list[Resource]) -> float:
    """Readers remember per graph, so each is new."""
    graph = ResourceGraph(resources)

    def judge() -> None:
        report = run_rules(graph, rules_on(TODAY), today=TODAY)
        assert not report.broken, report.broken

    return processor_seconds(judge)
