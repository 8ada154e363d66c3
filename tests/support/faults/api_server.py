"""The cluster's API server ends, and comes back on its own data."""

import time

from lab import control_plane
from lab.directory import LabDirectory

_ENDING = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


def restart(lab: LabDirectory, down_seconds: float) -> None:
    """Kills the API server, waits, starts it as it ran before, and returns when it answers.

    Controllers and scheduler end and start with it, as on a machine whose kubelet starts them again when they
    have lost their lease. Left alone, each of their watches would wait for a minute before its next try.

    Raises LabError where one of them does not come back.
    """
    control_plane.kill(lab, _ENDING)
    time.sleep(down_seconds)
    control_plane.start_what_ended(lab)
