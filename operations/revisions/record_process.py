"""Runs the `record` command of a side's own code, which may be a pull request's: without credentials."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from comparison.secret_marks import without_secrets
from operations.errors import CommandError
from resource_graph.printable import one_line

_SECONDS = 300
"""Fifty times what all shipped stacks take on two idle cores."""
_MOST_BYTES = 64 * 1024 * 1024
_LONGEST_MESSAGE = 600
_PROGRAM = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({_MOST_BYTES}, {_MOST_BYTES}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from cli.main import main
main()
"""


@dataclass(frozen=True, slots=True)
class RecordProcess:
    """What records a side."""

    label: str
    """What messages call the side."""
    interpreter: Path
    code: Path
    """Folder of the code that records."""
    folder: Path
    """Folder of the stack files."""
    seconds: float = _SECONDS

    def answer(self, names: Sequence[str], over: Path | None) -> bytes:
        """Return what the command prints, which may be anything.

        Nothing of this process's environment is handed on: no credentials, no configuration of a cluster or
        an account, no HOME with either. The code can still read what this user can read and reach what this
        machine can reach.

        Raises:
            CommandError: it fails, takes too long or prints too much.

        """
        with tempfile.TemporaryDirectory(prefix="dynamo-stack-record-") as home:
            out, err = Path(home) / "out", Path(home) / "err"
            # -P: modules that lie beside the stack files are not the program's.
            command = [str(self.interpreter), "-P", "-c", _PROGRAM, "record", *names]
            if over is not None:
                command += ["--over", str(over)]
            code = self._run(command, home, out, err)
            if out.stat().st_size >= _MOST_BYTES:
                raise CommandError(
                    f"{self.label}: its recording is larger than {_MOST_BYTES // 1024**2} MB\n"
                    "  try: --stack with fewer stacks"
                )
            if code:
                raise CommandError(f"{self.label}: its own code cannot record it: {_last_words(err)}")
            return out.read_bytes()

    def _run(self, command: Sequence[str], home: str, out: Path, err: Path) -> int:
        nowhere = Path(home) / "home"
        nowhere.mkdir()
        environment = {
            "HOME": str(nowhere),
            "TMPDIR": str(nowhere),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(self.code),
            # The order of a set of texts is another one with every seed.
            "PYTHONHASHSEED": "0",
        }
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                # All that it starts ends with it.
                process_group=0,
            )
            try:
                return process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                raise CommandError(
                    f"{self.label}: its own code has recorded nothing after {self.seconds:g} s"
                ) from None
            finally:
                _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        # It has ended, and with it all that it had started.
        return
    finally:
        process.wait()


def _last_words(file: Path) -> str:
    text = file.read_bytes()[-10 * _LONGEST_MESSAGE :].decode(errors="replace").strip()
    lines = text.splitlines()
    # Of a traceback the last line is the error.
    said = lines[-1] if "Traceback" in text and lines else text
    return one_line(without_secrets(said), _LONGEST_MESSAGE) or "it says nothing"
