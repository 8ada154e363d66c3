"""Runs the `record` command of a side's own code, which may be a pull request's: without credentials."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from comparison.recording import Side, side_of_json
from comparison.secret_marks import without_secrets
from operations.errors import CommandError
from resource_graph.input_text import InputError
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


def record_by_own_code(
    label: str,
    interpreter: Path,
    code: Path,
    folder: Path,
    names: Sequence[str],
    *,
    over: str | None = None,
    seconds: float = _SECONDS,
) -> Side:
    """Return what the command of a side's own code says of its stacks.

    Nothing of this process's environment is handed on: no credentials, no configuration of a cluster or
    an account, no HOME with either. The code can still read what this user can read and reach what this
    machine can reach.

    Args:
        label: what messages call the side.
        interpreter: what runs the code.
        code: folder of the code that records.
        folder: folder of the stack files.
        names: of stacks.
        over: the recording of the other side; None: there is none.
        seconds: how long it may take.

    Raises:
        CommandError: it fails, takes too long, prints too much, or prints no recording.

    """
    with tempfile.TemporaryDirectory(prefix="dynamo-stack-record-") as made:
        own = Path(made)
        # -P: modules that lie beside the stack files are not the program's.
        command = [str(interpreter), "-P", "-c", _PROGRAM, "record", *names]
        if over is not None:
            (own / "over.json").write_text(over, encoding="utf-8")
            command += ["--over", str(own / "over.json")]
        (own / "home").mkdir()
        environment = {
            "HOME": str(own / "home"),
            "TMPDIR": str(own / "home"),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(code),
            # The order of a set of texts is another one with every seed.
            "PYTHONHASHSEED": "0",
        }
        ended = _run(command, folder, environment, own, seconds)
        if ended is None:
            raise CommandError(f"{label}: its own code has recorded nothing after {seconds:g} s")
        if (own / "out").stat().st_size >= _MOST_BYTES:
            raise CommandError(
                f"{label}: its recording is larger than {_MOST_BYTES // 1024**2} MB\n"
                "  try: --stack with fewer stacks"
            )
        if ended:
            raise CommandError(f"{label}: its own code cannot record it: {_last_words(own / 'err')}")
        try:
            return side_of_json((own / "out").read_bytes())
        except InputError as error:
            raise CommandError(f"{label}: what its own code has recorded cannot be read: {error}") from None


def _run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], own: Path, seconds: float
) -> int | None:
    """Run it with its output in files; return its exit code, None where it does not end in time."""
    with (own / "out").open("wb") as stdout, (own / "err").open("wb") as stderr:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            # All that it starts ends with it.
            process_group=0,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _last_words(file: Path) -> str:
    text = file.read_bytes()[-10 * _LONGEST_MESSAGE :].decode(errors="replace").strip()
    lines = text.splitlines()
    # Of a traceback the last line is the error.
    said = lines[-1] if "Traceback" in text and lines else text
    return one_line(without_secrets(said), _LONGEST_MESSAGE) or "it says nothing"
