"""The vendor's Kubernetes plugin in the lab, in place of the stand-in.

`python -m tests.support.vendor_plugin` prints the command for the lab's variable KUBERNETES_PLUGIN. That
command names this module again, with the executable: it becomes the plugin, with the lab's charts. The plugin
fetches each chart from its repository by HTTPS at every preview and update; a process beside it is that
repository, and ends with it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from lab.directory import REPOSITORY

_MODULE = "tests.support.vendor_plugin"
FILE_VARIABLE = "VENDOR_KUBERNETES_PLUGIN"


def main() -> None:
    executable, *arguments = sys.argv[1:] or [""]
    if not executable:
        print(_command())
        return
    folder = tempfile.mkdtemp(prefix="chart-repository-", dir=os.environ.get("LAB_DIR"))
    command = [sys.executable, "-P", "-m", f"{_MODULE}.repository", folder]
    repository = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert repository.stdout is not None
    address, authority = repository.stdout.readline().split()
    # Go asks no proxy for loopback addresses, where the API server is.
    variables = {"HTTPS_PROXY": address, "SSL_CERT_FILE": authority}
    # Same process: the engine's child, and the one whom the engine stops.
    os.execve(executable, [executable, *arguments], {**os.environ, **variables})  # noqa: S606 - a person's choice


def _command() -> str:
    wanted = version("pulumi-kubernetes")
    usual = Path(f"~/.pulumi/plugins/resource-kubernetes-v{wanted}/pulumi-resource-kubernetes").expanduser()
    file = Path(os.environ.get(FILE_VARIABLE) or usual).absolute()
    if not os.access(file, os.X_OK):
        sys.exit(
            f"there is no plugin {file}\n"
            f"  try: `pulumi plugin install resource kubernetes {wanted}` outside the lab; or let "
            f"{FILE_VARIABLE} name the executable"
        )
    return shlex.join(
        ["env", f"PYTHONPATH={REPOSITORY}", sys.executable, "-P", "-m", _MODULE, str(file)],
    )


if __name__ == "__main__":
    main()
