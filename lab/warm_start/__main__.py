"""`python -P -m lab.warm_start SOCKET`: forks Python processes until its standard input ends."""

from __future__ import annotations

import gc
import importlib
import io
import os
import random
import runpy
import signal
import socket
import sys
import threading
from pathlib import Path

from lab.warm_start.forks import Request, next_request
from lab.warm_start.launcher import PARENT_IS_GONE
from lab.warm_start.parent import has_left, is_forked

_MODULES = (
    *("pulumi.policy", "pulumi.dynamic", "pulumi.automation._server"),
    *("pulumi_kubernetes.core.v1", "pulumi_kubernetes.apps.v1", "pulumi_kubernetes.batch.v1"),
    *("pulumi_kubernetes.networking.v1", "pulumi_kubernetes.storage.v1", "pulumi_kubernetes.helm.v3"),
    *("pulumi_kubernetes.apiextensions", "pulumi_kubernetes.meta.v1", "pulumi_kubernetes.yaml"),
    *("pydantic", "yaml", "rich.console", "typer"),
    *("lab.language_host.host", "lab.kubernetes_provider.provider", "lab.provider_service.serve"),
)
_SERVICES = ("autoscaling", "cloudwatch", "ec2", "efs", "eks", "fsx", "iam", "kms", "vpc")
"""Of pulumi_aws, which imports a service when one of its names is asked for."""


def main() -> None:
    for module in _MODULES:
        importlib.import_module(module)
    aws = importlib.import_module("pulumi_aws")
    for service in _SERVICES:
        dir(getattr(aws, service).__dict__)
    # Otherwise the first collection in each fork would copy every page of what all of them share.
    gc.freeze()
    path = sys.argv[1]
    with socket.socket(socket.AF_UNIX) as listener:
        # Bound under another name: who sees the socket can connect.
        listener.bind(f"{path}.new")
        listener.listen(64)
        Path(f"{path}.new").rename(path)
        request = next_request(listener, until_end_of=sys.stdin.fileno())
    if request is not None:
        _become(request)


def _become(request: Request) -> None:
    """Make this forked process what `python <arguments>` would be, and run it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for target, descriptor in enumerate(request.descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    sys.stdin = open(0, encoding=sys.stdin.encoding, closefd=False)  # noqa: SIM115 - as long as the process
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    random.seed()
    is_forked.set()
    threading.Thread(target=_follow, args=(request.connection,), daemon=True).start()
    _run(request.arguments)


def _run(arguments: list[str]) -> None:
    options = []
    while arguments[0] in ("-u", "-P"):
        options.append(arguments.pop(0))
    if "-u" in options:
        sys.stdout, sys.stderr = _unbuffered(1), _unbuffered(2)
    if arguments[0] != "-m":
        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).parent))
        runpy.run_path(arguments[0], run_name="__main__")
        return
    if "-P" not in options:
        sys.path.insert(0, str(Path.cwd()))
    sys.argv = ["-m", *arguments[2:]]
    runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)


def _unbuffered(descriptor: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(open(descriptor, "wb", 0, closefd=False), write_through=True)


def _follow(connection: socket.socket) -> None:
    """Hear from the launcher that the process which started it is gone; end at once when it was killed."""
    while word := connection.recv(1):
        if word == PARENT_IS_GONE:
            has_left.set()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
