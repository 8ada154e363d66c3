"""What the engine would do and what it finds, against a simulated cluster."""

import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from comparison.changes import Operation
from operations.drift.refresh_preview import changes_seen
from operations.drift.report import Outcome
from operations.engine_preview.events import Events, ask_engine
from operations.engine_preview.preview import read_preview
from resource_graph import ResourceGraph
from tests.lab.conformance.toy import Toy
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.lab

BEFORE = """
k8s.core.v1.ConfigMap("files", metadata=named("files"), data={"a": "1", "b": "2"})
k8s.core.v1.Secret("token", metadata=named("token"), string_data={"key": pulumi.Output.secret("planted-1")})
k8s.core.v1.Service("service", metadata=named("service", {"a": "1"}), spec={"ports": [{"port": 80}]})
k8s.core.v1.ConfigMap("kept", metadata=named("kept"), data={}, opts=options(protect=True))
k8s.core.v1.ConfigMap("left", metadata=named("left"), data={}, opts=options(retain_on_delete=True))
"""
AFTER = """
pulumi.warn("pods restart")
k8s.core.v1.ConfigMap("files", metadata=named("files"), data={"a": "3", "c": "4"})
k8s.core.v1.Secret("token", metadata=named("token"), string_data={"key": pulumi.Output.secret("planted-2")})
k8s.core.v1.Service("service", metadata=named("service", {"a": "2"}), spec={"ports": [{"port": 80}]})
k8s.core.v1.ConfigMap("new", metadata=named("new"), data={})
"""


@pytest.fixture(scope="module")
def lab(own_lab: Sandbox) -> Sandbox:
    """A cluster of its own: what a toy leaves goes in the background."""
    return own_lab


class Engine:
    """Pulumi on a toy program, as `ask_engine` runs it."""

    def __init__(self, toy: Toy) -> None:
        self._toy = toy
        self.printed = ""

    def capture(self, *command: str, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        answer = self._toy.pulumi(*command, check=False, variables=dict(variables))
        self.printed += answer.stdout
        return answer


def asked(toy: Toy, *command: str) -> tuple[Events, str]:
    engine: Any = Engine(toy)
    events, _ = ask_engine(engine, *command)
    return events, engine.printed


def test_the_engine_says_what_happens_to_each_resource(toy: Toy) -> None:
    toy.up(BEFORE)
    toy.write(AFTER)
    events, printed = asked(toy, "preview")
    found = read_preview("toy", events)
    operations = {change.urn.rpartition("::")[2]: change.operation for change in found.changes}
    assert operations == {
        "files": Operation.REPLACE,
        "kept": Operation.DELETE,
        "left": Operation.FORGET,
        "new": Operation.CREATE,
        "service": Operation.UPDATE,
        "token": Operation.REPLACE,
    }
    assert found.stops
    assert "cannot be deleted" in found.refused[0]
    assert [notice.text for notice in found.notices] == ["pods restart"]
    assert "planted" not in printed
    assert "planted" not in repr(found)


def test_what_somebody_changed_is_found_by_a_refresh_and_nothing_where_nobody_did(toy: Toy) -> None:
    toy.up(BEFORE)
    assert (
        changes_seen(asked(toy, "refresh", "--preview-only")[0].steps, frozenset(), ResourceGraph(())) == ()
    )
    toy.kubectl("delete", "configmap", "files")
    toy.kubectl("annotate", "service", "service", "a=2", "--overwrite")
    toy.kubectl("patch", "secret", "token", "--patch", '{"stringData": {"key": "planted-3"}}')
    events, printed = asked(toy, "refresh", "--preview-only")
    assert {
        (each.kind, each.field, each.found, each.outcome)
        for each in changes_seen(events.steps, frozenset(), ResourceGraph(()))
    } == {
        ("ConfigMap", None, "is gone", Outcome.RECREATED),
        ("Service", "metadata.annotations.a", "2", Outcome.REPAIRED),
        ("Secret", "data.key", "[secret]", Outcome.REPLACED),
    }
    assert "planted" not in printed
