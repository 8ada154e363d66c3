"""The engine's preview of a change, against a simulated cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from comparison.changes import Operation
from operations.engine_preview.events import read_events
from operations.engine_preview.preview import read_preview

if TYPE_CHECKING:
    from pathlib import Path

    from operations.engine_preview.preview import EnginePreview
    from tests.lab.conformance.toy import Toy

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


def previewed(toy: Toy, program: str, log: Path) -> EnginePreview:
    toy.write(program)
    toy.pulumi("preview", "--event-log", str(log), check=False, variables={"PULUMI_DEBUG_COMMANDS": "true"})
    return read_preview("toy", read_events(log.read_text().splitlines()))


def test_the_engine_says_what_happens_to_each_resource(toy: Toy, tmp_path: Path) -> None:
    toy.up(BEFORE)
    found = previewed(toy, AFTER, tmp_path / "events.jsonl")
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
    assert "planted" not in (tmp_path / "events.jsonl").read_text()
    assert "planted" not in repr(found)


def test_after_an_update_the_engine_has_nothing_to_do(toy: Toy, tmp_path: Path) -> None:
    toy.up(BEFORE)
    found = previewed(toy, BEFORE, tmp_path / "events.jsonl")
    assert (found.changes, found.refused, found.stops) == ((), (), False)
