"""`python -P -m lab.fork_server --lab-dir DIR`: started by the supervisor, ends with its input."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import runpy
import sys
from pathlib import Path

from lab.controller.process import say_ready
from lab.directory import LabDirectory
from lab.fork_server.server import ForkServer, Request

# Packages alone: code of this repository may change while a lab is up, and a test may change it in a copy.
_PACKAGES = (
    *(
        "pulumi",
        "pulumi.automation._server",
        "pulumi.dynamic",
        "pulumi.provider.experimental",
        "pulumi.policy",
    ),
    *("pulumi_kubernetes.apiextensions", "pulumi_kubernetes.apps.v1", "pulumi_kubernetes.batch.v1"),
    *("pulumi_kubernetes.core.v1", "pulumi_kubernetes.helm.v3", "pulumi_kubernetes.networking.v1"),
    *("pulumi_kubernetes.policy.v1", "kubernetes.client", "google.protobuf.json_format"),
    *("grpc", "psutil", "pydantic", "requests", "semver", "yaml"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab-dir", type=Path, required=True)
    lab = LabDirectory(parser.parse_args().lab_dir)
    for name in _PACKAGES:
        importlib.import_module(name)
    # What is collected in a child need not be looked at in each of them, which would copy its pages.
    gc.collect()
    gc.freeze()
    server = ForkServer(lab.processes)
    say_ready()
    request = server.serve(parent=0)
    if request is not None:
        _run(request)


def _run(request: Request) -> None:
    """As `python` does with the same command line; what it raises is the interpreter's to print."""
    if request.unbuffered:
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), write_through=True)
    script = Path(request.script)
    if not request.safe_path:
        sys.path.insert(0, request.folder if request.module else str(script.parent))
    sys.argv = [request.module or request.script, *request.arguments]
    if request.module:
        runpy.run_module(request.module, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(request.script, run_name="__main__")


if __name__ == "__main__":
    main()
