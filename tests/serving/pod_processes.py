"""The processes that run behind a pod."""

import psutil


def processes_of(pod: str) -> list[psutil.Process]:
    """Those of the pod of this name, found by the variable that only they have."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("POD_NAME") == pod:
                found.append(process)
        except psutil.Error:
            continue
    return found
