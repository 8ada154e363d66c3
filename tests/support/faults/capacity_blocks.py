"""The account's clock: windows of Capacity Blocks open and close."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

from lab.directory import LabDirectory


def set_clock(lab: LabDirectory, moment: dt.datetime) -> None:
    """Lets the account's clock show this moment and go on from there; what is due by then happens at once.

    Blocks are scheduled before their windows, active in them and expired after them. Other times of the
    account, such as when something was created, stay those of this machine.
    """
    file = lab.cloud / "capacity-reservations.json"
    reservations = json.loads(file.read_text(encoding="utf-8"))
    for item in reservations:
        if item["ReservationType"] == "capacity-block":
            starts, ends = (dt.datetime.fromisoformat(item[key]) for key in ("StartDate", "EndDate"))
            item["State"] = "scheduled" if moment < starts else "active" if moment < ends else "expired"
    write_reservations(lab, reservations)
    ahead = moment - dt.datetime.now(dt.UTC)
    _replace(lab.cloud / "clock", str(ahead.total_seconds()))


def write_reservations(lab: LabDirectory, reservations: list[dict[str, Any]]) -> None:
    """Gives the account these capacity reservations, as EC2 describes them."""
    _replace(lab.cloud / "capacity-reservations.json", json.dumps(reservations))


def _replace(file: Path, text: str) -> None:
    # The account reads it twice a second, and half a file would end the thread that does.
    partial = file.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(file)
