"""The lab's simulated AWS account: start it, find where it answers, end it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lab import control_plane, processes

if TYPE_CHECKING:
    from lab.directory import LabDirectory


def up(lab: LabDirectory, account: str | None = None) -> str:
    """Makes the account answer and returns its endpoint; run again, it changes nothing.

    A new account is empty, whatever an earlier one of this lab held. Where the lab has a cluster, instances
    of node groups are its nodes. `account` is its number, where it is not to be the usual one.
    """
    begin(lab, account)
    processes.start(lab, processes.CLOUD)
    if control_plane.exists(lab):
        processes.start(lab, processes.NODE_GROUPS)
    return (lab.cloud / "endpoint").read_text(encoding="utf-8")


def begin(lab: LabDirectory, account: str | None = None) -> None:
    """Starts the account without waiting until it answers, which takes seconds; `up` waits for the rest."""
    if processes.find(lab, processes.CLOUD) is not None:
        return
    (lab.cloud / "endpoint").unlink(missing_ok=True)
    lab.cloud.mkdir(parents=True, exist_ok=True)
    variables = {"LAB_AWS_ACCOUNT": account} if account else {}
    processes.start(lab, replace(processes.CLOUD, variables=variables), wait=False)


def down(lab: LabDirectory) -> None:
    """Ends the account and all in it. Fine when it does not run."""
    processes.stop(lab, processes.NODE_GROUPS)
    processes.stop(lab, processes.CLOUD)
    (lab.cloud / "endpoint").unlink(missing_ok=True)


def requests(lab: LabDirectory) -> list[dict[str, Any]]:
    """Every request to the account so far: service, operation, region, parameters, requestId, error."""
    lines = (lab.cloud / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
