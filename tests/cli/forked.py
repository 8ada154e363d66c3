"""`dynamo-stack check` in a process of its own, forked from one that has loaded the program already."""

import multiprocessing
import os
import resource
import sys
from pathlib import Path

from tests.cli.command import ROOT, Answer

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["cli.check", "cli.main", "rules.catalogue"])


def forked_check(file: Path, *, memory: int, seconds: int) -> Answer:
    """`check --file`, with no more bytes of memory and seconds of processor time than these."""
    out, err = file.with_suffix(".out"), file.with_suffix(".err")
    process = _CONTEXT.Process(target=_check, args=(str(file), str(out), str(err), memory, seconds))
    process.start()
    process.join(6 * seconds)
    assert process.exitcode is not None, f"{file}: it does not end"
    return Answer(process.exitcode, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


def _check(file: str, out: str, err: str, memory: int, seconds: int) -> None:
    # Imported already where this was forked from.
    from cli.main import main  # noqa: PLC0415

    for path, descriptor in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    os.chdir(ROOT)
    sys.argv = ["dynamo-stack", "check", "--file", file]
    main()
