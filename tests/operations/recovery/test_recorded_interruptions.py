"""What recovery decides on stack dev, from states that the real engine left when it was killed.

Each recording holds the state and the listings of the cluster at one moment of a kill, and the commands that
recovery then typed, after which the cluster was as if nothing had happened.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from operations.cluster_commands import ClusterCommands
from operations.pulumi_command import PulumiCommand
from operations.recovery.found_in_cluster import HelmRelease, Leftovers
from operations.recovery.recovery_plan import plan_destroy, plan_up
from operations.recovery.stack_state import ClusterObject, parse_state
from operations.recovery.steps import command_line

RECORDINGS = sorted(Path(__file__).with_name("recordings").glob("*.json"))
PULUMI = PulumiCommand("dev", Path(), "pulumi")
CLUSTER = ClusterCommands("dynamo-lab", None, "kubectl", "helm")


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda file: file.stem)
def test_recovery_types_what_it_typed_when_the_cluster_became_whole(file: Path) -> None:
    recorded = json.loads(file.read_text(encoding="utf-8"))
    leftovers = _leftovers(recorded)
    plan = plan_destroy(leftovers) if recorded["destroy"] else plan_up(leftovers, policy_pack=True)
    assert [command_line(step, PULUMI, CLUSTER) for step in plan.steps] == recorded["typed"]
    assert list(plan.found) == recorded["found"]


def _leftovers(recorded: dict[str, Any]) -> Leftovers:
    release = recorded["release"]
    return Leftovers(
        parse_state(recorded["deployment"]),
        HelmRelease(
            **{"parent": None, "provider": None} | release | {"graphs": tuple(release.get("graphs", ()))}
        ),
        tuple(
            ClusterObject(**each | {"managers": tuple(each.get("managers", ()))})
            for each in recorded["objects"]
        ),
        graph_to_come=recorded["graph_to_come"],
        operator_answers=recorded["operator_answers"],
    )


URN = "urn:pulumi:dev::dynamo-stack::"


def _resource(name: str, **more: Any) -> dict[str, Any]:
    return {"urn": f"{URN}{name}", "type": "kubernetes:core/v1:ConfigMap", "id": f"ns/{name}", **more}


def test_a_stack_that_never_ran_holds_nothing() -> None:
    assert parse_state({}).is_empty
    assert parse_state({"resources": [{"urn": URN, "type": "pulumi:pulumi:Stack"}]}).is_empty


def test_what_waits_to_be_deleted_or_made_again_is_not_in_the_cluster_for_good() -> None:
    waiting = _resource("old", delete=True), _resource("gone", pendingReplacement=True)
    state = parse_state({"resources": [_resource("new"), *waiting]})
    assert state.recorded == {(f"{URN}new", "ns/new")}
    assert state.half_replaced == (f"{URN}old", f"{URN}gone")
