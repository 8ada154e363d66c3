"""The lab's simulated AWS account: start it, find where it answers, end it."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

from lab import control_plane, processes
from lab.errors import LabError

if TYPE_CHECKING:
    from lab.directory import LabDirectory

_START_SECONDS = 90
_PAUSE_SECONDS = 0.1


def up(lab: LabDirectory, account: str | None = None) -> str:
    """Makes the account answer and returns its endpoint; run again, it changes nothing.

    A new account is empty, whatever an earlier one of this lab held. Where the lab has a cluster, instances
    of node groups are its nodes. `account` is its number, where it is not to be the usual one.
    """
    begin(lab, account)
    endpoint = _wait(lab)
    if control_plane.exists(lab):
        processes.start(lab, processes.NODE_GROUPS)
    return endpoint


def begin(lab: LabDirectory, account: str | None = None) -> None:
    """Starts the account without waiting until it answers, which takes seconds; `up` waits for the rest."""
    if processes.find(lab, processes.CLOUD) is not None:
        return
    (lab.cloud / "endpoint").unlink(missing_ok=True)
    lab.cloud.mkdir(parents=True, exist_ok=True)
    processes.start(lab, processes.CLOUD, {"LAB_AWS_ACCOUNT": account} if account else {})


def down(lab: LabDirectory) -> None:
    """Ends the account and all in it. Fine when it does not run."""
    processes.stop(lab, processes.NODE_GROUPS)
    processes.stop(lab, processes.CLOUD)
    (lab.cloud / "endpoint").unlink(missing_ok=True)


def requests(lab: LabDirectory) -> list[dict[str, Any]]:
    """Every request to the account so far: service, operation, region, parameters, requestId, error."""
    lines = (lab.cloud / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _wait(lab: LabDirectory) -> str:
    announced = lab.cloud / "endpoint"
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if announced.exists() and _answers(announced.read_text(encoding="utf-8")):
            return announced.read_text(encoding="utf-8")
        if processes.find(lab, processes.CLOUD) is None:
            raise LabError(f"the simulated AWS account ended at once; see {lab.processes}/aws.log")
        time.sleep(_PAUSE_SECONDS)
    raise LabError(f"the simulated AWS account did not answer within {_START_SECONDS} s")


def _answers(endpoint: str) -> bool:
    try:
        with urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=5):  # noqa: S310 - a loopback address
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
