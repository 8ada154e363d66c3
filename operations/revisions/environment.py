"""The interpreter of a side: this one where it has the side's locked packages, else one made for them."""

import hashlib
import importlib.metadata
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from operations.errors import CommandError
from operations.revisions.cache import made_once
from resource_graph.printable import one_line

_LOCK = "requirements.txt"
_SECONDS = 900
_LONGEST_MESSAGE = 400
# What leads pip to a package index: its settings, proxies, certificates.
_OF_PIP = re.compile(
    r"(?i:PIP_.*|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|PATH|HOME|LANG)"
)


def interpreter_for(code: Path, label: str, cache: Path) -> Path:
    """Return an interpreter with the packages that a side's own code is locked to.

    This Python's own pip installs them, as wheels alone and with their hashes: nothing of a pull request runs
    here.

    Args:
        code: folder of the side's code.
        label: what messages call the side.
        cache: folder in which environments are kept.

    Raises:
        CommandError: it has no lock file, or its packages cannot be installed.

    """
    try:
        lock = (code / _LOCK).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise CommandError(
            f"{label} has no {_LOCK}, so nobody knows which packages its code needs\n"
            "  try: a revision with its lock files"
        ) from None
    requirements = tuple(_requirements(lock, label))
    if all(map(_is_installed, requirements)):
        return Path(sys.executable)
    # Not even the same packages are at home in another Python.
    identity = "\0".join((lock, platform.python_version(), platform.machine()))
    name = hashlib.sha256(identity.encode()).hexdigest()[:32]
    return _python(made_once(cache / "environments" / name, lambda folder: _make(folder, code, label)))


def _requirements(lock: str, label: str) -> Iterator[Requirement]:
    for line in lock.replace("\\\n", " ").splitlines():
        text = re.split(r"\s--hash=|(?:^|\s)#", line)[0].strip()
        if not text:
            continue
        try:
            found = Requirement(text)
        except InvalidRequirement:
            # An option could name another index, or another file of this machine.
            raise CommandError(
                f"{label}: {_LOCK} has a line that locks nothing: {one_line(text, _LONGEST_MESSAGE)}"
            ) from None
        if found.url is not None:
            raise CommandError(f"{label}: {_LOCK} takes {found.name} from an address instead of an index")
        if found.marker is None or found.marker.evaluate():
            yield found


def _is_installed(requirement: Requirement) -> bool:
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return str(requirement.specifier) == f"=={version}"


def _make(folder: Path, code: Path, label: str) -> None:
    _install((sys.executable, "-m", "venv", str(folder)), label)
    # Modules are compiled when they are first loaded, and most never are.
    pip = (str(_python(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    words = ("--no-compile", "--require-hashes", "--only-binary", ":all:", "-r", str(code / _LOCK))
    _install((*pip, *words), label)


def _install(command: Sequence[str], label: str) -> None:
    environment = {name: value for name, value in os.environ.items() if _OF_PIP.fullmatch(name)}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CommandError(f"{label}: its packages were not installed after {_SECONDS} s") from None
    if done.returncode:
        said = one_line(done.stderr.strip(), _LONGEST_MESSAGE)
        raise CommandError(f"{label}: its packages cannot be installed: {said}")


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"
