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
