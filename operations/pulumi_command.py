"""Runs the person's own `pulumi` on one stack, as that person would type it."""

import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import environ
from pathlib import Path
from typing import TypeAlias, TypeVar

from operations.errors import CommandError
from operations.project import project_directory

_Answer = TypeVar("_Answer")

_SHOWN_LINES = 12
_INSTALL = "https://www.pulumi.com/docs/iac/download-install/"


Printed: TypeAlias = "subprocess.CompletedProcess[str]"
"""Exit code and output of a finished command."""


@dataclass(frozen=True)
class PulumiCommand:
    """The pulumi CLI in a project's folder. It asks nothing: there may be nobody to answer."""

    stack: str
    directory: Path
    executable: str

    @classmethod
    def of_stack(cls, stack: str) -> "PulumiCommand":
        """The CLI for a stack of the project that the current folder belongs to.

        Raises:
            CommandError: there is no pulumi on PATH, or no project here.
        """
        return cls(stack, project_directory(), found_on_path("pulumi", _INSTALL))

    def line(self, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
        """The command as it would be typed, to be shown before it runs."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in (variables or {}).items()]
        return " ".join([*assignments, shlex.join(["pulumi", *arguments, "--stack", self.stack])])

    def stream(self, *arguments: str, variables: Mapping[str, str] | None = None) -> int:
        """The exit code; what pulumi prints goes where this process prints."""
        process = self._started(arguments, variables, output=None)
        _in_order(process.wait, process)
        return process.returncode

    def capture(self, *arguments: str, variables: Mapping[str, str] | None = None) -> Printed:
        """Exit code and output, without colour."""
        words = (*arguments, "--color=never")
        process = self._started(words, variables, output=subprocess.PIPE)
        out, err = _in_order(process.communicate, process)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def failure(self, said: str, *arguments: str) -> CommandError:
        """The error of a command that failed, with the last lines of what it said."""
        lines = said.strip().splitlines()[-_SHOWN_LINES:]
        shown = "".join(f"\n  {line}" for line in lines if line.strip())
        return CommandError(f"`{self.line(*arguments)}` failed:{shown}")

    def _started(
        self,
        arguments: tuple[str, ...],
        variables: Mapping[str, str] | None,
        *,
        output: int | None,
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.executable, *arguments, "--stack", self.stack, "--non-interactive"],
            cwd=self.directory,
            env={**environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            text=True,
            # A terminal's Ctrl-C reaches it through this process alone: told twice, pulumi leaves its lock.
            process_group=0,
        )


def found_on_path(name: str, install: str) -> str:
    """The full path of a program that the command needs; CommandError where it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise CommandError(
            f"`{name}` is needed and not on PATH\n"
            f"  try: install it, {install}; for the simulated cluster type `make shell`, which has it"
        )
    return found


def _in_order(ended: Callable[[], _Answer], process: "subprocess.Popen[str]") -> _Answer:
    """Return its answer; a Ctrl-C is told to pulumi, which ends in order, and raised once it has ended."""
    is_interrupted = False
    while True:
        try:
            answer = ended()
        except KeyboardInterrupt:
            is_interrupted = True
            process.send_signal(signal.SIGINT)
            continue
        if is_interrupted:
            raise KeyboardInterrupt
        return answer
