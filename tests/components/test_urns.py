"""What holds for all that a shipped stack registers, first its URN: another one replaces what runs."""

import pytest

from components.cluster_answer import KINDS
from components.dynamo_objects import GRAPH_KIND
from lab.directory import REPOSITORY
from recipes.pod_environment import TERMINATION_GRACE_SECONDS
from resource_graph import Resource
from stacks.stack_files import list_stacks
from tests.components.committed_urns import FOLDER, committed_urns, recorded_urns
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

STACKS = list_stacks(REPOSITORY)
EVERY_STACK = pytest.mark.parametrize("name", STACKS)
MINUTES = {"ConfigMap": 1, "DynamoGraphDeployment": 5, "Job": 5, "PersistentVolumeClaim": 10, "Namespace": 10}


def _objects(name: str) -> list[Resource]:
    graph = recorded_stack(shipped_stack(name))
    return [each for each in graph if each.custom and each.type.startswith("kubernetes:")]


@EVERY_STACK
def test_no_shipped_stack_registers_other_urns_than_those_that_are_committed(name: str) -> None:
    assert recorded_urns(name) == committed_urns(name)


def test_every_shipped_stack_and_no_other_has_a_list() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.txt")) == STACKS


@EVERY_STACK
def test_no_object_is_named_by_the_engine_so_that_one_of_a_killed_run_is_found_again(name: str) -> None:
    found = {each.urn: each.object_name if each.kind else each.inputs.get("name") for each in _objects(name)}
    assert found
    assert {urn for urn, fixed in found.items() if not isinstance(fixed, str)} == set()


@EVERY_STACK
def test_no_object_that_goes_is_waited_for_by_the_providers_default(name: str) -> None:
    for each in _objects(name):
        limit = each.custom_timeouts.delete
        assert limit, each.urn
        assert each.kind not in MINUTES or limit == 60 * MINUTES[each.kind], each.urn
        # Longer than its pods may take to end.
        assert each.kind != GRAPH_KIND or limit > TERMINATION_GRACE_SECONDS


def test_every_kind_that_a_stack_makes_can_be_read_by_its_name() -> None:
    made = {str(each.kind) for name in STACKS for each in _objects(name) if each.kind}
    assert GRAPH_KIND in made
    assert made <= {GRAPH_KIND, *KINDS}
