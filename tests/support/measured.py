"""What a test measured, beside what it is compared with: written down for `make bench`."""

import json
import os
from pathlib import Path

# Unset in a plain test run, which measures nothing worth keeping.
FILE_VARIABLE = "DAY_TWO_MEASUREMENTS"


def record(kind: str, name: str, seconds: float, predicted: str) -> None:
    """Append one measurement to the file that the environment names; without one, do nothing.

    Args:
        kind: "fault" (from the fault until the graph is ready again), "update" (how long nothing serves),
            "loss" (the commands that heal) or "rules" (how long the larger takes).
        name: what was measured, as its runbook page or its test names it.
        seconds: wall time on the simulated cluster, where no model is loaded; of "rules" here.
        predicted: what `explain` or the preview had said, or what the time is compared with.

    """
    path = os.environ.get(FILE_VARIABLE)
    if not path:
        return
    line = json.dumps({"kind": kind, "name": name, "seconds": round(seconds, 1), "predicted": predicted})
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
