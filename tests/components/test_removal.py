"""How long `destroy` waits for each object before it names what holds it."""

from __future__ import annotations

import pytest

from lab.directory import REPOSITORY
from recipes.pod_environment import TERMINATION_GRACE_SECONDS
from stacks.stack_files import list_stacks
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

MINUTES = {"ConfigMap": 1, "DynamoGraphDeployment": 5, "Job": 5, "PersistentVolumeClaim": 10, "Namespace": 10}


@pytest.mark.parametrize("name", list_stacks(REPOSITORY))
def test_no_object_is_waited_for_by_the_providers_default(name: str) -> None:
    graph = recorded_stack(shipped_stack(name))
    objects = [each for each in graph if each.custom and each.type.startswith("kubernetes:")]
    limits = {each.urn: each.custom_timeouts.delete for each in objects}
    assert {urn for urn, limit in limits.items() if not limit} == set()
    for each in objects:
        if each.kind in MINUTES:
            assert limits[each.urn] == 60 * MINUTES[each.kind], each.urn


@pytest.mark.parametrize("name", list_stacks(REPOSITORY))
def test_a_graph_is_waited_for_longer_than_its_pods_may_take_to_end(name: str) -> None:
    graph = recorded_stack(shipped_stack(name))
    for each in graph.kubernetes_objects("DynamoGraphDeployment"):
        assert (each.custom_timeouts.delete or 0) > TERMINATION_GRACE_SECONDS
