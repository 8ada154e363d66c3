"""All rules on large programs: none does more by the resource."""

import copy
import dataclasses
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from resource_graph import Resource, ResourceGraph
from rules.catalogue import rules_on, run_rules
from tests.rules.judging import TODAY
from tests.support.counted_work import steps
from tests.support.measured import record
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_stack

SIZES, MEASURED = (120, 240, 480), 10_000
ALLOWED_GROWTH = 1.1
"""How many times the steps a resource more may take among twice as many; a quadratic rule makes it two."""
SHOULD_TAKE_SECONDS = 2.0
"""For the many, on the machine of CONTRIBUTING.md; `make bench` prints it beside what it measured."""
FEW_STACKS = 1

Shape = Callable[[list[Resource], int], Iterator[Resource]]


def many_ordinary_objects(stack: list[Resource], count: int) -> Iterator[Resource]:
    """A stack among what any cluster is full of."""
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
    """What stack disagg-b200-tcp serves, as its program registers it."""
    return list(recorded_stack(served_stack("disagg-b200-tcp")))


@pytest.mark.parametrize("shape", [many_ordinary_objects, many_graphs], ids=lambda shape: shape.__name__)
def test_a_resource_more_takes_no_more_steps_among_many(stack: list[Resource], shape: Shape) -> None:
    programs = [list(shape(stack, count)) for count in SIZES]
    judge(programs[0])  # what is read once for all
    taken = [(len(program), steps(partial(judge, program))) for program in programs]
    few, many = ((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(taken))
    assert many <= ALLOWED_GROWTH * few, (few, many)


@pytest.mark.measured
@pytest.mark.parametrize("shape", [many_ordinary_objects, many_graphs], ids=lambda shape: shape.__name__)
def test_the_time_of_ten_thousand_resources_is_recorded(stack: list[Resource], shape: Shape) -> None:
    resources = list(shape(stack, MEASURED))
    begun = time.process_time()
    judge(resources)
    record(
        "rules",
        f"{MEASURED:,} resources, {shape.__name__.replace('_', ' ')}",
        time.process_time() - begun,
        f"should stay below {SHOULD_TAKE_SECONDS} s",
    )


def judge(resources: list[Resource]) -> None:
    """Readers remember per graph, so each is new."""
    report = run_rules(ResourceGraph(resources), rules_on(TODAY), today=TODAY)
    assert not report.broken, report.broken
