"""Three teams, a stack each: from nothing to a graph that is scheduled, and back, in the simulated account.

One test, because each step needs the one before: bringing a cluster up anew for each would take minutes.
"""

import json
from pathlib import Path

import pytest

from tests.layered_stacks.three_stacks import (
    INFRASTRUCTURE,
    PLATFORM,
    SERVING,
    SETTINGS,
    changed,
    three_stacks,
)
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

SECONDS = 400
REFERENCE = "pulumi:pulumi:StackReference"
UP = ("up", "--yes", "--skip-preview")
POLICY = ("--policy-pack", "policy")


def references(stack: LabStack) -> list[str]:
    """The joins in a stack's state."""
    return sorted(urn.rpartition("::")[2] for urn in stack.urns() if urn.split("::")[2] == REFERENCE)


def test_three_stacks_are_joined_brought_up_refused_and_taken_down(engine: Sandbox, tmp_path: Path) -> None:
    assert engine
    with three_stacks(tmp_path) as stacks:
        base, platform, serving = (stacks[name] for name in (INFRASTRUCTURE, PLATFORM, SERVING))

        # Nothing of the owner is up.
        text = platform.failing("preview", seconds=SECONDS)
        assert "nothing of that stack is up" in text
        assert "try: `pulumi up --stack base`, then this one" in text

        base.pulumi(*UP, seconds=SECONDS)
        # A first preview of a stack whose owner is up: the cluster is there, and answers dry runs.
        assert "dynamo-platform create" in platform.pulumi("preview", seconds=SECONDS).stdout
        platform.pulumi(*UP, seconds=SECONDS)
        # The rules see a graph whose operator and nodes are none of this stack's.
        serving.pulumi(*UP, *POLICY, seconds=SECONDS)
        _assert_it_is_scheduled_and_joined(base, platform, serving)

        for stack in (base, platform, serving):
            stack.pulumi(*UP, "--expect-no-changes", seconds=SECONDS)

        _assert_changes_are_refused(base, serving)

        # Protected while others stand on it: the preview that begins it says so, and nothing goes.
        before = base.urns()
        assert "because it is protected" in base.failing("destroy", "--yes", seconds=SECONDS)
        assert base.urns() == before

        for stack in (serving, platform):
            stack.pulumi("destroy", "--yes", "--skip-preview", seconds=SECONDS)
            assert stack.urns() == []
        changed(base, lifecycle="disposable")
        base.pulumi(*UP, seconds=SECONDS)
        base.pulumi("destroy", "--yes", "--skip-preview", seconds=SECONDS)
        assert base.urns() == []


def _assert_it_is_scheduled_and_joined(base: LabStack, platform: LabStack, serving: LabStack) -> None:
    graph = serving.lab.get("dynamographdeployments", "gpt-oss-disagg", "-n", "gpt-oss")
    assert graph["status"]["state"] == "successful"
    assert [references(stack) for stack in (base, platform, serving)] == [
        [],
        ["infrastructure-layer"],
        ["infrastructure-layer", "platform-layer"],
    ]
    shared = json.loads(base.pulumi("stack", "output", "infrastructure", "--json").stdout)
    assert "get-token" in shared["kubeconfig"]
    assert '"token"' not in shared["kubeconfig"]


def _assert_changes_are_refused(base: LabStack, serving: LabStack) -> None:
    before = changed(serving, layers=["platform", "serving"], layerStacks={"infrastructure": INFRASTRUCTURE})
    text = serving.failing("preview", seconds=SECONDS)
    assert "layers = 'platform, serving'" in text
    assert "fixed at serving when this stack was created; nothing was created or changed" in text
    serving.write_settings(before)

    pools = before["config"][SETTINGS]["nodePools"]
    changed(serving, nodePools=[pools[0] | {"nodes": 2}])
    text = serving.failing("preview", seconds=SECONDS)
    assert f"Pulumi.{SERVING}.yaml: nodePools[b200].nodes = 2" in text
    assert f"stack {base.name}, which owns the infrastructure, has 1" in text
    serving.write_settings(before)

    changed(serving, layerStacks={"infrastructure": "nobody", "platform": INFRASTRUCTURE})
    text = serving.failing("preview", seconds=SECONDS)
    assert "layerStacks.infrastructure = 'nobody'" in text
    assert "this project has no stack of that name in this backend" in text
    assert f"layerStacks.platform = '{INFRASTRUCTURE}'" in text
    assert "that stack shares no platform; it shares infrastructure" in text
    serving.write_settings(before)
