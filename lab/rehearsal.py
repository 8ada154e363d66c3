"""The life of one stack in a lab of its own: preview, up, up again, refresh, destroy."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from lab import aws_cloud, cluster
from lab.account_contents import found_in
from lab.directory import PROGRAM_ROOMS, REPOSITORY, LabDirectory
from lab.environment import CONTEXT
from lab.errors import LabError
from lab.reservations import reservations_of
from lab.tool import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETTINGS = "dynamo-stack:settings"
_POLICY = ("--policy-pack", "policy")
_PROGRAM = ("__main__.py", "Pulumi.yaml")


@dataclass(frozen=True)
class Step:
    """One part of the life, done."""

    name: str
    seconds: float
    changes: str
    """What the engine counted, without what stayed the same; "" where it counts nothing."""


@contextmanager
def rehearsal(stack: str, file: Path | None = None) -> Iterator[Rehearsal]:
    """A stack that is still to be built, in a lab that is gone at the end.

    The stack's file, or another one of the same form, is copied; the copy's cluster is the lab's, or an EKS
    cluster in the lab's account.
    """
    source = file or REPOSITORY / f"Pulumi.{stack}.yaml"
    if not source.is_file():
        known = sorted(path.name.split(".")[1] for path in REPOSITORY.glob("Pulumi.*.yaml"))
        raise LabError(f"there is no {source.name}; stacks are {', '.join(known)}")
    folder = Path(tempfile.mkdtemp(prefix="dynamo-stack-rehearsal-"))
    lab = LabDirectory(folder / "lab")
    try:
        run = Rehearsal(lab, _copy(folder / "project", stack, source), stack)
        if file is None:
            run.open_windows()
        yield run
    finally:
        cluster.down(lab)
        shutil.rmtree(folder)


@dataclass(frozen=True)
class Rehearsal:
    """One stack, the copy of the program that makes it, and the lab that it is made in."""

    lab: LabDirectory
    project: Path
    stack: str

    def open_windows(self) -> None:
        """Types what a person types when a Capacity Block's window opens: shipped files wait for theirs."""
        content = self._read()
        for pool in content["config"][SETTINGS]["nodePools"]:
            if "phase" in pool.get("purchase", {}):
                pool["purchase"]["phase"] = "active"
        self._write(content)

    def building(self, say: Callable[[str], None]) -> Iterator[Step]:
        """Preview, up, and twice nothing to do."""
        content = self._read()
        settings = content["config"][SETTINGS]
        yield self._timed("lab", lambda: self._start(settings, say))
        if settings["cluster"]["kind"] == "existing":
            settings["cluster"] = {"kind": "existing", "context": CONTEXT}
        self._write(content)
        self._pulumi("stack", "select", "--create")
        yield self._timed("preview", lambda: self._pulumi("preview", *_POLICY))
        yield self._counted("up", "up", "--yes", "--skip-preview", *_POLICY)
        yield self._counted("up again", "up", "--yes", "--skip-preview", "--expect-no-changes", *_POLICY)
        yield self._counted("refresh", "refresh", "--yes", "--skip-preview", "--expect-no-changes")

    def removing(self) -> Iterator[Step]:
        """Destroy, and before it what a person must do where things are protected."""
        content = self._read()
        if content["config"][SETTINGS].get("lifecycle", "production") == "production":
            # What is protected cannot be destroyed until somebody says in the file that it may go.
            content["config"][SETTINGS]["lifecycle"] = "disposable"
            self._write(content)
            yield self._counted("lift protection", "up", "--yes", "--skip-preview", *_POLICY)
        yield self._counted("destroy", "destroy", "--yes", "--skip-preview")

    def left(self) -> list[str]:
        """What is in the simulated account now; nothing where the stack uses none."""
        return sorted(found_in(self.lab)) if (self.lab.cloud / "endpoint").exists() else []

    def _start(self, settings: dict[str, Any], say: Callable[[str], None]) -> None:
        if settings["cluster"]["kind"] != "eks":
            cluster.up(self.lab, say)
            return
        cluster.prepare(self.lab, say)
        self.lab.cloud.mkdir(exist_ok=True)
        (self.lab.cloud / "capacity-reservations.json").write_text(
            json.dumps(reservations_of(settings["nodePools"])), encoding="utf-8"
        )
        account = str(settings["cluster"]["accountId"])
        # Beside the cluster: each of the two is seconds of work for one core.
        aws_cloud.begin(self.lab, account)
        cluster.up(self.lab, say, furnished=False)
        aws_cloud.up(self.lab, account)

    def _timed(self, name: str, action: Callable[[], object]) -> Step:
        started = time.monotonic()
        action()
        return Step(name, time.monotonic() - started, "")

    def _counted(self, name: str, *command: str) -> Step:
        step = self._timed(name, lambda: self._pulumi(*command))
        history = json.loads(self._pulumi("stack", "history", "--json", "--page-size", "1"))
        found: dict[str, int] = history[0].get("resourceChanges") or {}
        changes = ", ".join(f"{number} {kind}" for kind, number in sorted(found.items()) if kind != "same")
        return Step(name, step.seconds, changes or "no change")

    def _pulumi(self, *arguments: str) -> str:
        words = ("--stack", self.stack, "--non-interactive", "--color=never")
        return run(self.lab, "pulumi", *arguments, *words, cwd=self.project).stdout

    @property
    def _file(self) -> Path:
        return self.project / f"Pulumi.{self.stack}.yaml"

    def _read(self) -> dict[str, Any]:
        return yaml.safe_load(self._file.read_text(encoding="utf-8"))

    def _write(self, content: dict[str, Any]) -> None:
        self._file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def _copy(project: Path, stack: str, source: Path) -> Path:
    """The program with one stack's file: pulumi rewrites stack files, and tracked ones must not change."""
    project.mkdir()
    for name in _PROGRAM:
        shutil.copy(REPOSITORY / name, project / name)
    for name in PROGRAM_ROOMS:
        (project / name).symlink_to(REPOSITORY / name, target_is_directory=True)
    shutil.copy(source, project / f"Pulumi.{stack}.yaml")
    return project
