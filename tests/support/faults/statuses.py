"""The lab's own kubectl, for levers that change objects."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from lab.environment import sealed_environment
from lab.errors import LabError

if TYPE_CHECKING:
    from lab.directory import LabDirectory

_SECONDS = 60


def kubectl(lab: LabDirectory, *arguments: str, stdin: str | None = None) -> str:
    """Runs kubectl on the lab's cluster and returns what it prints. Raises LabError where it fails."""
    answer = subprocess.run(
        [str(lab.bin / "kubectl"), *arguments],
        env=sealed_environment(lab),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if answer.returncode != 0:
        raise LabError(f"`kubectl {' '.join(arguments)}` failed:\n{answer.stderr.strip()}")
    return answer.stdout


def items(lab: LabDirectory, *arguments: str) -> list[dict[str, Any]]:
    """The objects that `kubectl get` lists."""
    found: list[dict[str, Any]] = json.loads(kubectl(lab, "get", *arguments, "-o", "json"))["items"]
    return found


def patch_status(lab: LabDirectory, kind: str, item: dict[str, Any], status: dict[str, Any]) -> None:
    """Writes these fields of the object's status, as a kubelet or a controller does."""
    where = ["-n", item["metadata"]["namespace"]] if "namespace" in item["metadata"] else []
    body = json.dumps({"status": status})
    kubectl(
        lab,
        "patch",
        kind,
        item["metadata"]["name"],
        *where,
        "--subresource=status",
        "--type=merge",
        "-p",
        body,
    )
