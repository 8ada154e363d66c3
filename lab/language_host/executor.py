"""Runs one Pulumi program in a process of its own; started by the language host, never imported by it.

Reads a RunRequest from standard input. It runs with the interpreter of the program's virtualenv, so
nothing here may need more than the pulumi package. Exit codes: 0 done, 32 failed and the engine has
been told why (the code that Pulumi's own executor uses), anything else an unexpected end.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
from pathlib import Path
from typing import Any, cast

from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2

ALREADY_REPORTED = 32


def main() -> int:
    """Runs the program that the request names and returns the exit code."""
    request = language_pb2.RunRequest.FromString(sys.stdin.buffer.read())
    entry_point = Path(request.info.program_directory) / request.info.entry_point
    script = entry_point / "__main__.py" if entry_point.is_dir() else entry_point
    os.chdir(request.pwd or request.info.program_directory)
    sys.path.insert(0, str(script.parent))
    sys.argv = [str(script)]
    program = cast("Any", lambda: runpy.run_path(str(script), run_name="__main__"))
    try:
        # Called directly, not over gRPC: there is no call context, and Run does not use it.
        response = LanguageServer(program).Run(request, cast("Any", None))
    except asyncio.InvalidStateError:
        # Of a program that failed, and has said why, it cancels what is under way and meets answers that come
        # just then. Pulumi's own executor cancels nothing.
        return ALREADY_REPORTED
    return ALREADY_REPORTED if response.error or response.bail else 0


if __name__ == "__main__":
    sys.exit(main())
