"""Chromium, in which tests look at the page of `dynamo-stack report`.

Debian's package, because the browsers that test tools download lie on servers of their own, which a machine
behind a package mirror does not reach.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from lab.errors import LabError
from lab.locks import locked, of_all_labs

_NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without a font of its own Chromium draws a box for every letter.
_PACKAGES = ("chromium", "fonts-dejavu-core")
_USUAL_SECONDS = 60
_LONGEST_SECONDS = 600
_WITHOUT = "everything but the tests marked browser does without it: pytest -m 'not browser'"


def installed_browser() -> Path | None:
    """Return Chromium of this machine; None where PATH has none."""
    found = (shutil.which(name) for name in _NAMES)
    return next((Path(each) for each in found if each is not None), None)


def install_missing(say: Callable[[str], None]) -> Path:
    """Install Chromium unless it is there; return its path. Two callers at once install it once.

    Raises:
        LabError: this machine or this user cannot; the text says what to type.

    """
    browser = installed_browser()
    if browser is not None:
        return browser
    with locked(of_all_labs("browser.lock")):
        return installed_browser() or _install(say)


def _install(say: Callable[[str], None]) -> Path:
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        raise LabError(
            f"Chromium is not on PATH: type sudo apt-get install {' '.join(_PACKAGES)}\n{_WITHOUT}"
        )
    say(f"installing Debian's Chromium, about 125 MB, once per machine, usually {_USUAL_SECONDS} s")
    _run(apt, "update", "--quiet")
    _run(apt, "install", "--quiet", "--yes", "--no-install-recommends", *_PACKAGES)
    browser = installed_browser()
    if browser is None:
        raise LabError(f"apt-get installed Chromium, and it is not on PATH\n{_WITHOUT}")
    return browser


def _run(*command: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=_LONGEST_SECONDS
    )
    if answer.returncode != 0:
        raise LabError(f"Chromium cannot be installed:\n{answer.stderr.strip()}\n{_WITHOUT}")
