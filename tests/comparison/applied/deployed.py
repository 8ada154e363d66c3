"""A stack that runs in the lab, on which changes are applied that were compared before."""

import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from comparison.pairs import title_of
from comparison.recording import Side, StackRecording
from comparison.stack_comparison import StackComparison, compare_sides
from operations.engine_preview.events import Events, read_events
from operations.engine_preview.preview import resource_changes
from operations.revisions.own_folder import recorded_folder
from tests.comparison.applied.outcome import (
    Outcome,
    by_operation,
    gpus_in_use,
    graph_pods,
    observed,
    uids,
)
from tests.comparison.changed_stacks import RECIPES, TODAY, Case, Parts, write_side
from tests.support.lab_stack import LabStack
from tests.support.waiting import until
from tests.updates.watching import Watch

_UP = ("up", "--yes", "--skip-preview")
_SHOWS_OPTION = {"PULUMI_DEBUG_COMMANDS": "true"}
_SALT = "encryptionsalt"


@dataclass(frozen=True)
class Applied:
    """An `up` that went through, or was refused."""

    outcome: Outcome
    said: str
    """All that it printed, with spaces and line breaks made single spaces."""
    is_refused: bool


class Deployed:
    """The stack, and what the comparison knows of it."""

    def __init__(self, stack: LabStack, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lab = stack.lab
        self._stack = stack
        self._monkeypatch = monkeypatch
        self._runs: Parts | None = None
        """The sides of the cases that are deployed; None where nobody knows."""
        self._titles: set[str] = set()

    def compared(self, case: Case, folder: Path) -> StackComparison:
        """Bring the older side of a case up, write the newer one in its place, and compare the two."""
        before, after = case.parts
        self.bring(before)
        base = self.recorded(folder / "base", None)
        self._write(after)
        return self.over(base, folder / "head")

    def over(self, base: Side, folder: Path) -> StackComparison:
        """Compare what is written with what was recorded before."""
        [stack] = compare_sides(base, self.recorded(folder, base)).stacks
        assert isinstance(stack, StackComparison), stack
        return stack

    def recorded(self, folder: Path, over: Side | None) -> Side:
        """Record what is written, as `dynamo-stack record` does."""
        # A copy: recipes are read once by a process, and the newer side stands where the older one stood.
        folder.mkdir()
        for file in ("Pulumi.yaml", f"Pulumi.{self._stack.name}.yaml"):
            shutil.copy(self._stack.project / file, folder / file)
        if (self._stack.project / RECIPES).is_dir():
            shutil.copytree(self._stack.project / RECIPES, folder / RECIPES)
        with self._monkeypatch.context() as within:
            within.chdir(folder)
            side = recorded_folder([self._stack.name], over, TODAY)
        stack = side.stacks[self._stack.name]
        assert isinstance(stack, StackRecording), stack
        if over is None:
            self._titles.clear()
        self._titles.update(title_of(each) for each in stack.resources)
        return side

    def previewed(self) -> tuple[dict[str, list[str]], list[str]]:
        """Ask the engine what an `up` would do to which resources, and why it would refuse to."""
        # Without the policy pack, which says nothing of resources: it would take half of the time.
        answer = self._logged("preview")
        events = self._events()
        errors = [message for _, message in events.errors]
        assert bool(answer.returncode) is bool(errors), answer.stdout
        # What was only looked at is typed back: the next test finds what runs.
        if self._runs is not None:
            self._write(self._runs)
        changes = resource_changes(events.steps)
        return by_operation((each.operation.value, each.title) for each in changes), errors

    def apply(self, case: Case) -> Applied:
        """Run `pulumi up` of the case's newer side, which is written."""
        before, after = case.parts
        self._runs = None
        applied = self.up()
        self._runs = before if applied.is_refused else after
        # What is refused is typed back.
        self._write(self._runs)
        return applied

    def up(self) -> Applied:
        """Run `pulumi up` of what is written and was compared, and watch."""
        objects, gpus = self._objects(), gpus_in_use(self.lab)
        with Watch(self.lab, "/api/v1/pods") as pods:
            begun = time.monotonic()
            answer = self._logged(*_UP)
            until(
                lambda: not any(map(_is_ending, graph_pods(self.lab))),
                "pods of before to end",
                cluster=self.lab.directory,
            )
        outcome = observed(
            resource_changes(self._events().steps),
            (objects, self._objects()),
            pods.events,
            begun,
            (gpus, gpus_in_use(self.lab)),
        )
        said = " ".join(f"{answer.stdout} {answer.stderr}".split())
        return Applied(outcome, said, is_refused=answer.returncode != 0)

    def bring(self, parts: Parts) -> None:
        """Deploy this side of a case, unless it runs."""
        self._write(parts)
        if self._runs == parts:
            return
        if self._runs is None:
            self._stack.pulumi("cancel", "--yes", check=False)
        self._runs = None
        self._stack.pulumi(*_UP)
        self._runs = parts

    def _write(self, parts: Parts) -> None:
        secrets = {
            key: value["secure"] for part in parts for key, value in part.get("config", {}).items() if value
        }
        plain = tuple({key: value for key, value in part.items() if key != "config"} for part in parts)
        before = self._stack.settings()
        write_side(self._stack.project, self._stack.name, plain)
        # Made with the stack, where none is committed; without it the state could not be decrypted.
        if _SALT in before:
            self._stack.write_settings(self._stack.settings() | {_SALT: before[_SALT]})
        # What a case calls encrypted is what is encrypted here: nobody else's text can be decrypted.
        for key, value in secrets.items():
            self._stack.pulumi("config", "set", "--secret", key, value)

    def _objects(self) -> dict[str, str]:
        return uids(self.lab, self._titles)

    def _logged(self, *command: str) -> subprocess.CompletedProcess[str]:
        self._log.unlink(missing_ok=True)
        return self._stack.pulumi(
            *command, "--event-log", str(self._log), check=False, variables=_SHOWS_OPTION
        )

    def _events(self) -> Events:
        return read_events(self._log.read_text(encoding="utf-8").splitlines())

    @property
    def _log(self) -> Path:
        return self.lab.directory.root / "events.jsonl"


def _is_ending(pod: dict[str, object]) -> bool:
    metadata = pod["metadata"]
    assert isinstance(metadata, dict)
    return "deletionTimestamp" in metadata
