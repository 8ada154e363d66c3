"""The LanguageRuntime service that the engine calls to run programs and policy packs.

Mirrors pulumi-language-python: the virtualenv named in Pulumi.yaml or PulumiPolicy.yaml decides
which interpreter runs; a program fails with `bail` when it has already said why.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from lab.fork_server import LAUNCHER
from lab.language_host.executor import ALREADY_REPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXECUTOR = Path(__file__).with_name("executor.py")


class InterpreterMissingError(Exception):
    """The virtualenv that the project names does not exist."""


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Runs Python programs and policy packs as child processes."""

    def __init__(self, engine_address: str, version: str) -> None:
        self._engine_address = engine_address
        self._version = version
        self._children: set[subprocess.Popen[bytes]] = set()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=self._version)

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:
        return language_pb2.GetRequiredPackagesResponse()

    def Cancel(self, request: Any, context: Any) -> Any:
        self.stop()
        return empty_pb2.Empty()

    def Run(self, request: Any, context: Any) -> Any:
        """Runs a program to its end; its output goes to the engine as it comes."""
        try:
            python = interpreter(request.info)
        except InterpreterMissingError as error:
            return language_pb2.RunResponse(error=str(error))
        # The engine passes its own address only to the host, and the program needs it for its log.
        del request.args[:]
        request.args.append(self._engine_address)
        child = subprocess.Popen([python, "-u", str(_EXECUTOR)], stdin=subprocess.PIPE)
        self._children.add(child)
        try:
            child.communicate(request.SerializeToString())
        finally:
            self._children.discard(child)
        if child.returncode == ALREADY_REPORTED:
            return language_pb2.RunResponse(bail=True)
        if child.returncode != 0:
            return language_pb2.RunResponse(
                error=f"Program exited with non-zero exit code: {child.returncode}"
            )
        return language_pb2.RunResponse()

    def RunPlugin(self, request: Any, context: Any) -> Iterator[Any]:
        """Runs a policy pack and streams what it prints; its first line is the port it serves."""
        child = subprocess.Popen(
            [
                *(*LAUNCHER, interpreter(request.info), "-u", "-m", "pulumi.policy"),
                *request.args,
                request.info.program_directory,
            ],
            cwd=request.pwd,
            env=dict(entry.split("=", 1) for entry in request.env) or dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._children.add(child)
        try:
            yield from _output_of(child)
            yield language_pb2.RunPluginResponse(exitcode=child.wait())
        finally:
            child.kill()
            self._children.discard(child)

    def stop(self) -> None:
        """Ends every program and pack that still runs."""
        for child in list(self._children):
            child.terminate()


def interpreter(info: Any) -> str:
    """The Python of the virtualenv that the project's runtime options name, else this one.

    Raises InterpreterMissingError with the command that creates the environment.
    """
    options = dict(info.options)
    if "virtualenv" not in options:
        return sys.executable
    virtualenv = Path(info.root_directory) / str(options["virtualenv"])
    python = virtualenv / "bin" / "python"
    if not python.exists():
        raise InterpreterMissingError(
            f"the virtualenv {virtualenv} named in the project's runtime options does not exist; "
            "run `pulumi install` in the project's folder"
        )
    return str(python)


def _output_of(child: subprocess.Popen[bytes]) -> Iterator[Any]:
    chunks: SimpleQueue[Any] = SimpleQueue()

    def forward(stream: Any, field: str) -> None:
        while chunk := stream.read1(65536):
            chunks.put(language_pb2.RunPluginResponse(**{field: chunk}))
        chunks.put(None)

    streams = {"stdout": child.stdout, "stderr": child.stderr}
    for field, stream in streams.items():
        threading.Thread(target=forward, args=(stream, field), daemon=True).start()
    open_streams = len(streams)
    while open_streams:
        response = chunks.get()
        if response is None:
            open_streams -= 1
            continue
        yield response
