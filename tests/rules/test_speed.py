"""All rules on large programs: in time, and no slower by the resource."""

import contextlib
import copy
import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.project import recorded_stack, resolved_stack
from resource_graph import Resource, ResourceGraph
from rules.catalogue import rules_on
from rules.reading.pools import pool_resource
from rules.run import run_rules
from tests.rules.judging import TODAY

ROOT = Path(__file__).parents[2]
SMALL, LARGE = 2_500, 10_000
ALLOWED_SECONDS = 2.0
ALLOWED_GROWTH = 1.4
"""How much dearer a resource may be among four times as many; a quadratic rule makes it four."""
ATTEMPTS = 3
FEW_GRAPHS = 5
RELEASE = Resource(
    urn="release",
    type="kubernetes:helm.sh/v3:Release",
    name="platform",
    inputs={"chart": "dynamo-platform", "version": "1.2.1"},
)
POOL = pool_resource("p6-b200.48xlarge", "p6-b200.48xlarge", 20_000)

Shape = Callable[[list[Resource], int], Iterator[Resource]]


def many_ordinary_objects(stack: list[Resource], count: int) -> Iterator[Resource]:
    """A few graphs among what any cluster is full of."""
    yield from graphs(stack, FEW_GRAPHS)
    ordinary = list(others())
    for number in range(count):
        yield numbered(ordinary[number % len(ordinary)], number, {})


def many_graphs(stack: list[Resource], count: int) -> Iterator[Resource]:
    """Nothing but graphs, each in its namespace with its engine files, volume, download and benchmark."""
    yield from graphs(stack, count // len(stack))


def graphs(stack: list[Resource], count: int) -> Iterator[Resource]:
    for number in range(count):
        urns = {resource.urn: f"{resource.urn}-{number}" for resource in stack}
        for resource in stack:
            yield numbered(resource, number, urns)


def numbered(resource: Resource, number: int, urns: Mapping[str, str]) -> Resource:
    """The resource again, in a namespace of its own; each engine file is another text."""
    inputs: dict[str, Any] = copy.deepcopy(dict(resource.inputs))
    inputs["metadata"]["namespace"] = f"team-{number}"
    if resource.kind == "ConfigMap":
        inputs["data"] = {key: f"{text}# {number}\n" for key, text in inputs["data"].items()}
    earlier = {other for urn, other in urns.items() if urn < resource.urn}
    return dataclasses.replace(
        resource,
        urn=f"{resource.urn}-{number}",
        inputs=inputs,
        dependencies=frozenset({RELEASE.urn, *earlier}),
        origin=None,
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
    """What a graph of stack disagg-b200 needs in its own namespace."""
    kinds = {"DynamoGraphDeployment", "PersistentVolumeClaim", "Job", "ConfigMap"}
    with contextlib.chdir(ROOT):
        recorded = recorded_stack(resolved_stack("disagg-b200"))
    return [item for item in recorded if item.kind in kinds and "nats" not in item.name]


@pytest.mark.parametrize("shape", [many_ordinary_objects, many_graphs], ids=lambda shape: shape.__name__)
def test_ten_thousand_resources_are_judged_in_time_and_none_is_dearer_for_the_others(
    stack: list[Resource], shape: Shape
) -> None:
    small, large = (best_seconds(stack, shape, count) for count in (SMALL, LARGE))
    assert large <= ALLOWED_SECONDS
    assert large / LARGE <= ALLOWED_GROWTH * small / SMALL, (small, large)


def best_seconds(stack: list[Resource], shape: Shape, count: int) -> float:
    resources = [RELEASE, POOL, *shape(stack, count)]
    return min(seconds(resources) for _ in range(ATTEMPTS))


def seconds(resources: list[Resource]) -> float:
    """Processor time, because other tests run beside this one; readers remember per graph, so each is new."""
    graph = ResourceGraph(resources)
    begun = time.process_time()
    report = run_rules(graph, rules_on(TODAY), today=TODAY)
    ended = time.process_time()
    assert not report.broken, report.broken
    return ended - begun
