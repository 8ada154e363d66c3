"""Stand-in for the kubelet of the simulated nodes: pods whose programs are here run as processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi
from lab.controller.process import argument_parser, run, until_cluster_is_gone, watch_until_stopped
from lab.directory import LabDirectory
from lab.kubelet.kubelet import Kubelet
from lab.kubelet.machine import Machine

if TYPE_CHECKING:
    from lab.controller.process import Session


def main() -> int:
    """Return the exit code, when the lab ends."""
    parser = argument_parser(__doc__)
    parser.add_argument("--lab-dir", type=Path, required=True)
    parser.add_argument("--runtime-python", type=Path, required=True)
    arguments = parser.parse_args()
    lab = LabDirectory(arguments.lab_dir)

    async def work(session: Session) -> None:
        async with KubernetesApi(session.connection, field_manager="kubelet") as api:
            machine = Machine(api, session.connection, lab, arguments.runtime_python)
            kubelet = Kubelet(machine)
            await watch_until_stopped(kubelet.registry(), session, kubelet.work(), until_cluster_is_gone(api))

    return run(arguments, work)


if __name__ == "__main__":
    sys.exit(main())
