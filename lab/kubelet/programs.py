"""The programs that images have: folders that are first on PATH in their containers."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lab.benchmark_image import SITE as BENCHMARK_SITE
from lab.kubelet.objects import CannotStartError
from lab.runtime_image import SITE as RUNTIME_SITE
from lab.toolchain.pulled import PULLED, installer_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.kubelet.images import Image

_INSTALLER = "lab.toolchain.pulled"


class Programs:
    """Those of this machine: the runtime's are there, others are installed for the first pod that has them.

    Args:
        root: the kubelet's folder.
        tools: folder of the built tools.
        runtime: Python of the Dynamo runtime.

    """

    def __init__(self, root: Path, tools: Path, runtime: Path) -> None:
        self._root = root
        self._installing = asyncio.Lock()
        self._runtime = _empty(root / "bin")
        _write_python(self._runtime, runtime, RUNTIME_SITE)
        for name in ("nats-server", "etcd", "etcdctl"):
            if (tools / name).exists():
                (self._runtime / name).symlink_to(tools / name)
        (root / "home").mkdir(exist_ok=True)
        for name in PULLED:
            shutil.rmtree(self._pulled(name), ignore_errors=True)

    def folder(self, image: Image | None) -> Path:
        """Return the folder of the image's programs."""
        return self._pulled(image.pulled) if image and image.pulled else self._runtime

    async def pull(self, image: Image, say: Callable[[str], None]) -> None:
        """Have the image's programs on this machine, as a kubelet has an image.

        Raises:
            CannotStartError: they cannot be installed.

        """
        if image.pulled is None:
            return
        async with self._installing:
            folder = self._pulled(image.pulled)
            if not folder.exists():
                python = await _installed(image.pulled, say)
                site = BENCHMARK_SITE if image.measures else RUNTIME_SITE
                _write_python(_empty(folder), python, site)

    def _pulled(self, name: str) -> Path:
        return self._root / f"{name}-bin"


async def _installed(name: str, say: Callable[[str], None]) -> Path:
    """Install the program in a process of its own, which sees this machine as the lab must not."""
    installer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _INSTALLER, name),
        env=installer_environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert installer.stdout is not None
    assert installer.stderr is not None
    said: list[str] = []
    try:
        async for line in installer.stderr:
            said.append(line.decode().strip())
            say(said[-1])
        python = (await installer.stdout.read()).decode().strip()
        code = await installer.wait()
    finally:
        if installer.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(installer.pid, signal.SIGKILL)
            await installer.wait()
    if code != 0:
        raise CannotStartError("ErrImagePull", "\n".join(said))
    return Path(python)


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _write_python(folder: Path, python: Path, site: Path) -> None:
    """Write the image's Python; `site` comes before whatever a pod says of PYTHONPATH."""
    for name in ("python", "python3"):
        launcher = folder / name
        launcher.write_text(
            f'#!/bin/sh\nexport PYTHONPATH="{site}${{PYTHONPATH:+:$PYTHONPATH}}"\nexec "{python}" "$@"\n',
            encoding="utf-8",
        )
        launcher.chmod(0o755)
