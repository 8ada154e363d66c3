"""`python -P -m lab.aws_provider.cloud --lab-dir DIR`: the cloud of a lab, until it is ended."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from lab.aws_provider.cloud.server import CloudServer
from lab.aws_provider.cloud.settings import DEFAULT_ACCOUNT, Settings
from lab.controller.process import end_with_parent, say_ready
from lab.directory import LabDirectory


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lab-dir", type=Path, required=True)
    given = parser.parse_args()
    end_with_parent()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    lab = LabDirectory(given.lab_dir)
    settings = Settings(
        account=os.environ.get("LAB_AWS_ACCOUNT") or DEFAULT_ACCOUNT,
        kubeconfig=lab.kubeconfig,
        reservations=lab.cloud / "capacity-reservations.json",
        clock=lab.cloud / "clock",
    )
    CloudServer(lab.cloud, settings).serve(say_ready)


if __name__ == "__main__":
    main()
