"""Text from files and pipes, of bounded size; a pipe that nobody writes to is refused, not waited for."""

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from resource_graph.printable import one_line
from resource_graph.spelling import hint

STANDARD_INPUT = Path("-")
"""`-` on the command line."""
LARGEST = 8 * 1024 * 1024
"""Bytes of all files together. etcd takes objects of up to 1.5 MB (https://etcd.io/docs/v3.5/dev-guide/limit/),
and a large program's state with a thousand resources is half as long."""

_LONGEST_MESSAGE = 1000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


InputText = tuple[str, str]
"""Path of a file, as messages name it, and what it holds."""


class InputError(Exception):
    """A file cannot be read as what it should be; the text names it, and the place in it."""

    def __init__(self, message: str) -> None:
        # It may quote what it found, which may be all of the file.
        super().__init__(one_line(message, _LONGEST_MESSAGE))


def read_inputs(paths: Sequence[Path]) -> Sequence[InputText]:
    """The texts of the files; STANDARD_INPUT stands for what another program pipes in.

    Raises:
        InputError: one is missing, no regular file, no UTF-8 text, or they are too large together.
    """
    if paths.count(STANDARD_INPUT) > 1:
        raise InputError("standard input (-) is named twice, and can be read once")
    found: list[InputText] = []
    left = LARGEST
    for path in paths:
        name = input_name(path)
        content = _content(path, name, left)
        left -= len(content)
        found.append((name, _decoded(content, name)))
    return found


def input_name(path: Path) -> str:
    """How messages call it."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def _content(path: Path, name: str, left: int) -> bytes:
    try:
        if path == STANDARD_INPUT:
            return _bounded(sys.stdin.buffer, name, left)
        # Without O_NONBLOCK, opening a pipe that nobody writes to would never return.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(
                    f"{name}: cannot be read: it is no regular file; give one, or - for standard input"
                )
            return _bounded(file, name, left)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        beside = [each.name for each in path.parent.glob("*")] if isinstance(error, FileNotFoundError) else ()
        raise InputError(f"{name}: cannot be read: {reason}{hint(path.name, beside)}") from error


def _bounded(file: BinaryIO, name: str, left: int) -> bytes:
    content = file.read(left + 1)
    if len(content) > left:
        raise InputError(
            f"{name}: too large: more than {LARGEST:,} bytes are not read at once, of all files together; "
            "judge fewer files, or parts of this one"
        )
    return content


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "; it is UTF-16: save it as UTF-8" if content.startswith(_UTF_16) else ""
        raise InputError(f"{name}: not a UTF-8 text file (byte {error.start}){hint}") from error


def first_problem(error: ValidationError) -> str:
    """The first mistake of a text, with its place in it."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]
