"""What a killed run can still change, told by what the cluster holds of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from operations.cluster_commands import ClusterCommands
from operations.recovery.found_in_cluster import unfinished
from operations.recovery.stack_state import ClusterObject, PendingOperation
from resource_graph.urns import RELEASE_TYPE

if TYPE_CHECKING:
    from pathlib import Path

    from resource_graph.engine_state import Operation

JOB = ClusterObject("urn", "batch/v1", "Job", "serving", "download")
RELEASE = ClusterObject("urn", "helm.sh/v3", "Release", "system", "platform")
LIVE = {"metadata": {"name": "download"}}
GOING = {"metadata": {"name": "download", "deletionTimestamp": "now"}}
_SAYS = "#!/bin/sh\ncat <<'EOF'\n{}\nEOF\n"
_NO_RELEASE = "#!/bin/sh\necho 'Error: release: not found' >&2\nexit 1\n"


def _cluster(folder: Path, live: dict[str, Any] | None, release: str | None) -> ClusterCommands:
    helm = _NO_RELEASE if release is None else _SAYS.format(json.dumps({"info": {"status": release}}))
    kubectl = _SAYS.format(json.dumps(live) if live else "")
    for name, text in {"kubectl": kubectl, "helm": helm}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return ClusterCommands("somewhere", None, str(folder / "kubectl"), str(folder / "helm"))


@pytest.mark.parametrize(
    ("operation", "live", "can_only_wait"),
    [
        ("creating", None, False),
        ("creating", LIVE, True),
        ("updating", LIVE, True),
        ("deleting", LIVE, False),
        ("deleting", GOING, True),
        ("deleting", None, True),
    ],
)
def test_a_call_about_an_object_can_only_wait_once_its_request_has_worked(
    tmp_path: Path, operation: Operation, live: dict[str, Any] | None, can_only_wait: bool
) -> None:
    pending = PendingOperation(operation, "urn", "kubernetes:batch/v1:Job", JOB)
    found = unfinished([pending], _cluster(tmp_path, live, None))
    assert found == (() if can_only_wait else (f"{operation} Job serving/download",))


@pytest.mark.parametrize(
    ("operation", "status", "is_done"),
    [
        ("creating", None, False),
        ("creating", "pending-install", False),
        ("creating", "deployed", True),
        ("creating", "failed", True),
        ("updating", "pending-upgrade", False),
        ("updating", "deployed", True),
        ("deleting", "deployed", False),
        ("deleting", "uninstalling", False),
        ("deleting", None, True),
    ],
)
def test_helm_is_at_work_until_it_has_written_how_its_work_ended(
    tmp_path: Path, operation: Operation, status: str | None, is_done: bool
) -> None:
    pending = PendingOperation(operation, "urn", RELEASE_TYPE, RELEASE)
    found = unfinished([pending], _cluster(tmp_path, None, status))
    assert found == (() if is_done else (f"{operation} Release system/platform",))


def test_what_is_not_in_the_cluster_is_never_called_finished(tmp_path: Path) -> None:
    pending = PendingOperation("creating", "urn:cluster", "aws:eks/cluster:Cluster")
    assert unfinished([pending], _cluster(tmp_path, None, None)) == ("creating urn:cluster",)
