"""A platform that somebody else serves on is not destroyed before a person has named who loses it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.destroy.conftest import GRAPH, NAMESPACE, OPERATOR, PLATFORM
from tests.faults.conftest import is_ready
from tests.serving_stacks.rehearsal import prepared
from tests.support.lab_stack import LabStack
from tests.support.runbook import commands, healed, typed
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

OTHER = "other-team"
VARIABLE = "DYNAMO_STACK_WITHOUT_PLATFORM"
LOOK, LEAVE, BRING_BACK = commands("platform-in-use")


def _disposable(settings: dict[str, Any]) -> None:
    settings["lifecycle"] = "disposable"


def _on_the_first_platform(settings: dict[str, Any]) -> None:
    _disposable(settings)
    settings["platform"] = {"kind": "existing", "version": "1.2.1", "namespace": PLATFORM}
    settings["serving"]["namespace"] = OTHER


@pytest.fixture(scope="module")
def owner(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with prepared(lab, tmp_path_factory.mktemp("owner"), "disagg-b200-tcp", _disposable) as stack:
        stack.pulumi("up", "--yes", "--skip-preview")
        yield stack


@pytest.fixture(scope="module")
def user(owner: LabStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    folder = tmp_path_factory.mktemp("user")
    with prepared(owner.lab, folder, "disagg-gb200-two-trays", _on_the_first_platform) as stack:
        stack.pulumi("up", "--yes", "--skip-preview")
        yield stack
        # Its end needs the operator.
        typed(owner, BRING_BACK)


def test_a_destroy_names_the_graphs_of_others_and_leaves_the_platform_whole(
    owner: LabStack, user: LabStack
) -> None:
    assert not any("PlatformGuard" in urn for urn in user.urns())
    said = owner.failing("destroy", "--yes")
    assert "graphs of other stacks need this platform, and nothing of it was deleted" in said
    assert re.search(rf"^ +{OTHER}/{GRAPH}$", said, re.MULTILINE), said
    assert f"{NAMESPACE}/{GRAPH}" not in said.partition("graphs of other stacks")[2]
    assert f"{VARIABLE}={OTHER}/{GRAPH} pulumi destroy" in said
    assert owner.lab.get(OPERATOR, "-n", PLATFORM)["status"]["readyReplicas"] == 1
    assert owner.lab.get("statefulset", "dynamo-nats", "-n", PLATFORM)["status"]["readyReplicas"] == 3
    assert is_ready(user, OTHER)
    # What the refused runs took of the stack's own comes back.
    owner.pulumi("up", "--yes", "--skip-preview")
    assert is_ready(owner)
    owner.pulumi("preview", "--expect-no-changes")


def test_graphs_that_a_person_names_lose_the_platform_and_both_stacks_end_all_the_same(
    owner: LabStack, user: LabStack
) -> None:
    assert OTHER in typed(owner, LOOK).stdout
    words = {VARIABLE: VARIABLE, "NAMESPACE": OTHER, "GRAPH": GRAPH}
    said = typed(owner, LEAVE, **words).stdout
    assert f"{OTHER}/{GRAPH} run on without an operator" in said
    assert owner.urns() == []
    # Of nothing a second destroy makes nothing.
    owner.pulumi("destroy", "--yes")
    healed(owner, "platform-in-use", BRING_BACK)
    user.pulumi("destroy", "--yes", "--skip-preview")
    assert user.urns() == []
    owner.pulumi("destroy", "--yes", "--skip-preview")
    assert owner.urns() == []
