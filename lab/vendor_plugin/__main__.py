"""`python -P -m lab.vendor_plugin EXECUTABLE ENGINE_ADDRESS`: becomes the plugin, with the lab's charts.

The plugin fetches each chart from its repository by HTTPS at every preview and update. A process beside it
is that repository, and ends with it.
"""

from __future__ import annotations

import os
import subprocess
import sys

from lab.kubernetes_provider import private_files


def main() -> None:
    executable, *arguments = sys.argv[1:]
    command = [sys.executable, "-P", "-m", "lab.chart_repository", str(private_files.create())]
    repository = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert repository.stdout is not None
    address, authority = repository.stdout.readline().split()
    # Go asks no proxy for loopback addresses, where the API server is.
    variables = {"HTTPS_PROXY": address, "SSL_CERT_FILE": authority}
    # Same process: the engine's child, and the one whom the engine stops.
    os.execve(executable, [executable, *arguments], {**os.environ, **variables})  # noqa: S606 - a person's choice


if __name__ == "__main__":
    main()
