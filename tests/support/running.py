"""What runs of a lab: processes that have its folder on their command line."""

from pathlib import Path

import psutil


def running_in(folder: Path) -> list[psutil.Process]:
    """Processes whose command line names the folder or something in it."""
    processes = psutil.process_iter(["cmdline"])
    return [each for each in processes if str(folder) in " ".join(each.info["cmdline"] or ())]
