"""Kills the engine in the middle of a call, as a lack of memory does, and looks at what recovery made."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.support.lab_stack import LabStack, inventory
from tests.support.measured import record
from tests.support.runbook import commands, typed
from tests.support.waiting import until

NAMESPACE, PLATFORM = "gpt-oss", "dynamo-system"
GRAPH, GRAPHS = "gpt-oss-disagg", "dynamographdeployments.nvidia.com"
UP = ("pulumi", "up", "--yes", "--skip-preview")
LONGEST_RECOVERY_SECONDS = 60.0
DYNAMO_STACK = str(Path(sys.executable).with_name("dynamo-stack"))

_DEADLINE_SECONDS = 60.0
_PROJECT = "dynamo-stack"
# Kept by Kubernetes for going back, one for each change that there ever was; Helm keeps its own the same way.
_HISTORY = ("ReplicaSet ", "ControllerRevision ", "PodMetrics ")
_HELMS_RECORD = re.compile(r"^Secret \S+/sh\.helm\.release\.v1\.")
_HASH = re.compile(r"-[0-9a-f]{8,10}(?=-|$)")
# Kubernetes' own alphabet for hashes and random endings; without vowels it spells no word.
_RANDOM = "[b-df-hj-np-tv-xz24-9]"
_RANDOM_END = re.compile(rf"^(?P<kept>(?:Pod|EndpointSlice) .*?)(-{_RANDOM}{{6,10}})?-{_RANDOM}{{5}}$")
# Of a name that is too long its end is cut off before the random letters, dash and part of the hash too.
_LONGEST_NAME = 63
_CUT_END = re.compile(rf"^(?P<kept>Pod .*?)-{_RANDOM}+$")
_NUMBERED = re.compile(r"^(PersistentVolume|IPAddress) /.*$")


@dataclass(frozen=True)
class Interruption:
    """One run of pulumi or of recovery, to be killed while it is in the middle of something."""

    stack: LabStack
    process: psutil.Popen
    log: Path

    def until(self, what: str, holds: Callable[[], bool]) -> None:
        """Waits until the cluster is so; a run that ends before it fails the test."""
        cluster = self.stack.lab.directory
        until(self._while_it_runs(what, holds), what, _DEADLINE_SECONDS, cluster=cluster)

    def until_written(self, what: str, holds: Callable[[], bool]) -> None:
        """Waits until a file says so, which the cluster does not tell."""
        until(self._while_it_runs(what, holds), what, _DEADLINE_SECONDS)

    def until_said(self, words: str) -> None:
        """Waits until the run has printed a match of this pattern."""
        said = re.compile(words, re.MULTILINE)
        self.until_written(words, lambda: said.search(self.log.read_text()) is not None)

    def _while_it_runs(self, what: str, holds: Callable[[], bool]) -> Callable[[], bool]:
        def came() -> bool:
            assert self.process.poll() is None, f"ended before {what}:\n{self.log.read_text()}"
            return holds()

        return came

    def kill(self) -> None:
        """SIGKILL for pulumi, and for the command that started it, but for nothing that pulumi started."""
        assert self.process.poll() is None, self.log.read_text()
        engine = [self.process] if self.process.name() == "pulumi" else self.process.children()
        for process in [self.process, *engine]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(timeout=_DEADLINE_SECONDS)


@contextmanager
def started(stack: LabStack, *command: str) -> Iterator[Interruption]:
    """A command of pulumi, or of dynamo-stack, in a session of its own; nothing of it outlives the block."""
    is_pulumi = command[0] == "pulumi"
    executable = str(stack.lab.directory.bin / "pulumi") if is_pulumi else DYNAMO_STACK
    options = ("--stack", stack.name, "--non-interactive", "--color=never") if is_pulumi else ()
    log = stack.project / "killed.log"
    with log.open("w") as stream:
        process = psutil.Popen(
            [executable, *command[1:], *options],
            cwd=stack.project,
            env=stack.lab.environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
        try:
            yield Interruption(stack, process, log)
        finally:
            _end_session(process.pid)


def _end_session(session: int) -> None:
    for process in psutil.process_iter():
        with suppress(OSError, psutil.Error):
            if os.getsid(process.pid) == session:
                process.kill()


def pending(stack: LabStack) -> set[tuple[str, str]]:
    """What the engine is in the middle of: (operation, type without package and version)."""
    file = stack.lab.directory.backend / ".pulumi" / "stacks" / _PROJECT / f"{stack.name}.json"
    whole: list[dict[str, Any]] = []

    def is_whole() -> bool:
        # The engine may be writing it at this very moment.
        with suppress(OSError, ValueError):
            whole.append(json.loads(file.read_text())["checkpoint"]["latest"] or {})
        return bool(whole)

    until(is_whole, f"a whole checkpoint in {file}")
    [latest] = whole
    return {
        (each["type"], each["resource"]["type"].rpartition(":")[2])
        for each in latest.get("pending_operations") or []
    }


def exists(stack: LabStack, *arguments: str) -> bool:
    """Whether `kubectl get` finds the object."""
    found = stack.lab.kubectl("get", *arguments, "--ignore-not-found", "-o", "name")
    return bool(found.stdout.strip())


def release_status(stack: LabStack) -> str:
    """What Helm says of the platform's release, empty for none."""
    answer = stack.lab.run("helm", "status", "dynamo-platform", "-n", PLATFORM, "-o", "json", check=False)
    return json.loads(answer.stdout)["info"]["status"] if answer.returncode == 0 else ""


def recover(stack: LabStack, moment: str, *, destroy: bool = False) -> str:
    """Types the runbook's command, records its time, and returns what a person reads."""
    up_command, destroy_command = commands("interrupted-run")
    began = time.monotonic()
    answer = typed(stack, destroy_command if destroy else up_command)
    took = time.monotonic() - began
    record("recovery", moment, took, f"at most {LONGEST_RECOVERY_SECONDS:.0f} s")
    assert "Traceback" not in answer.stdout + answer.stderr
    return answer.stdout


def objects(stack: LabStack) -> Counter[str]:
    """Every object by kind, namespace and name; what is random or a hash in a name is left out."""
    return Counter(
        _lasting(key)
        for key in inventory(stack.lab)
        if not key.startswith(_HISTORY) and not _HELMS_RECORD.match(key)
    )


def _lasting(key: str) -> str:
    ending = _CUT_END if len(key.rpartition("/")[2]) == _LONGEST_NAME else _RANDOM_END
    return _NUMBERED.sub(r"\1", ending.sub(r"\g<kept>", _HASH.sub("", key)))


def assert_recovered(stack: LabStack, undisturbed: Counter[str]) -> None:
    """The graph is ready, no object is missing, left over or there twice, and nothing is left to do."""
    found: list[Counter[str]] = []

    def is_as_undisturbed() -> bool:
        found.append(objects(stack))
        return found[-1] == undisturbed

    # Pods that were replaced take a moment to go.
    with suppress(AssertionError):
        until(is_as_undisturbed, "the same objects", _DEADLINE_SECONDS, cluster=stack.lab.directory)
    now = found[-1]
    assert now == undisturbed, f"too much: {now - undisturbed}, missing: {undisturbed - now}"
    graph = stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert graph["status"]["state"] == "successful"
    stack.pulumi("preview", "--expect-no-changes")
    assert pending(stack) == set()


@contextmanager
def switched_on(stack: LabStack, name: str, content: str = "") -> Iterator[None]:
    """A known pain of the lab, for as long as the block lasts."""
    switch = stack.lab.directory.switches / name
    switch.write_text(content)
    try:
        yield
    finally:
        switch.unlink(missing_ok=True)


@contextmanager
def no_room(stack: LabStack) -> Iterator[None]:
    """No node takes a new pod, so that whatever waits for one waits on."""
    nodes = stack.lab.kubectl("get", "nodes", "-o", "name").stdout.split()
    stack.lab.kubectl("cordon", *nodes)
    try:
        yield
    finally:
        stack.lab.kubectl("uncordon", *nodes)


def forget(stack: LabStack, kind: str) -> None:
    """Takes a part of the stack away in order, with what depends on it, so that a run makes it again."""
    target = ("--target", f"**:{kind}::**", "--target-dependents")
    # A test that failed leaves its lock; the next one judges its own run and not that.
    stack.pulumi("cancel", "--yes", check=False)
    stack.pulumi("destroy", "--yes", "--skip-preview", *target)
