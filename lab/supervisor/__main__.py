"""`python -P -m lab.supervisor --lab-dir DIR [--outlive]`: started by lab/processes.py."""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path

from lab import control_plane
from lab.controller.process import end_with_parent, run
from lab.directory import LabDirectory
from lab.supervisor.server import serve


def main() -> int:
    """Returns the exit code when nothing is left to do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab-dir", type=Path, required=True)
    parser.add_argument("--outlive", action="store_true", help="go on when the process that started it ends")
    arguments = parser.parse_args()
    lab = LabDirectory(arguments.lab_dir)
    parent_is_gone = threading.Event() if arguments.outlive else end_with_parent()
    code = run(serve(lab))
    if parent_is_gone.is_set():
        # Tests that were killed leave a cluster that nobody takes down, and it slows every later one.
        control_plane.kill(lab)
    return code


if __name__ == "__main__":
    sys.exit(main())
