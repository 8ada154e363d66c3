"""Attempts of a Job that fail."""

import time
from typing import Any

from lab.errors import LabError
from tests.support.faults.nodes import patch_status
from tests.support.sandbox import Sandbox
from tests.support.waiting import changes_of

_SECONDS = 60.0
# The Job controller makes the next attempt 10, 20, 40 s after the last one ended. Attempts that ended long
# ago let it go on at once.
_ENDED = "2026-01-01T00:00:00Z"


def fail_attempts(lab: Sandbox, namespace: str, job: str, attempts: int, says: str) -> None:
    """Lets so many pods of the Job end with exit code 1 and these last words, before any node has them.

    Raises LabError where the Job does not make that many attempts in time.
    """
    deadline = time.monotonic() + _SECONDS
    label = f"batch.kubernetes.io/job-name={job}"
    failed: set[str] = set()
    with changes_of(lab.directory) as next_change:
        while True:
            for pod in lab.get("pods", "-n", namespace, "-l", label)["items"]:
                name = pod["metadata"]["name"]
                if name not in failed and pod["status"].get("phase") == "Pending" and len(failed) < attempts:
                    patch_status(lab, "pod", pod, _failed(pod, says))
                    failed.add(name)
            if len(failed) == attempts:
                return
            if time.monotonic() > deadline:
                raise LabError(f"Job {job} made {len(failed)} of {attempts} attempts within {_SECONDS:.0f} s")
            next_change()


def _failed(pod: dict[str, Any], says: str) -> dict[str, Any]:
    terminated = {
        "exitCode": 1,
        "reason": "Error",
        "message": says,
        "startedAt": _ENDED,
        "finishedAt": _ENDED,
    }
    containers = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "state": {"terminated": terminated},
        }
        for container in pod["spec"]["containers"]
    ]
    return {"phase": "Failed", "conditions": [], "containerStatuses": containers}
