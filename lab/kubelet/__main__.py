"""Stand-in for the kubelet of the simulated nodes: pods whose programs are here run as processes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from lab.controller.api import connected
from lab.controller.following import follow
from lab.controller.process import end_with_parent, run, say_ready
from lab.directory import LabDirectory
from lab.kubelet.kubelet import Kubelet
from lab.kubelet.machine import Machine


def main() -> int:
    """Return the exit code, when the lab ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab-dir", type=Path, required=True)
    parser.add_argument("--runtime-python", type=Path, required=True)
    arguments = parser.parse_args()
    lab = LabDirectory(arguments.lab_dir)

    async def work() -> None:
        async with connected(lab.kubeconfig, "kubelet") as api:
            kubelet = Kubelet(Machine(api, lab, arguments.runtime_python, Path(temporary)))
            await follow(api, kubelet.kinds(), kubelet.work(), ready=say_ready)

    end_with_parent()
    # Not in the lab's folder: a socket's address has 108 bytes.
    with tempfile.TemporaryDirectory(prefix="lab-") as temporary:
        return run(work())


if __name__ == "__main__":
    sys.exit(main())
