"""A lab for tests: the sealed environment, with or without a cluster, in a folder of its own."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from lab.directory import LabDirectory
from lab.environment import sealed_environment

DEFAULT_SECONDS = 180


@dataclass(frozen=True)
class Sandbox:
    """Runs the lab's own command-line tools, and nothing else, in the sealed environment."""

    directory: LabDirectory
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, root: Path) -> Self:
        """The sandbox whose lab lives in `root`."""
        directory = LabDirectory(root)
        return cls(directory, sealed_environment(directory))

    def run(
        self,
        *command: str,
        cwd: Path | None = None,
        check: bool = True,
        seconds: float = DEFAULT_SECONDS,
        variables: dict[str, str] | None = None,
        stdin: str | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs one command to its end; with `check`, a failure shows all that it printed.

        One that takes longer ends with all that it has started: a plugin would go on changing the cluster.
        """
        words = [str(self.directory.bin / command[0]), *command[1:]]
        with subprocess.Popen(
            words,
            cwd=cwd or self.directory.root,
            env=self.environment | (variables or {}),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(stdin, timeout=seconds)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        answer = subprocess.CompletedProcess(words, process.returncode, out, err)
        if check and answer.returncode != 0:
            raise AssertionError(
                f"{' '.join(command)}: exit {answer.returncode}\n{answer.stdout}\n{answer.stderr}"
            )
        return answer

    def pulumi(self, *arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs the pulumi CLI in a program's folder, without colour or questions."""
        return self.run("pulumi", *arguments, "--non-interactive", "--color=never", cwd=cwd, **options)

    def kubectl(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs kubectl on the lab's cluster."""
        return self.run("kubectl", *arguments, **options)

    def get(self, *arguments: str) -> Any:
        """The object or list that `kubectl get … -o json` prints."""
        return json.loads(self.kubectl("get", *arguments, "-o", "json").stdout)

    def resources(self, stack: str, cwd: Path) -> list[dict[str, Any]]:
        """The resources in a stack's state, as `pulumi stack export` prints them."""
        exported = json.loads(self.pulumi("stack", "export", "--stack", stack, cwd=cwd).stdout)
        return exported["deployment"].get("resources", [])
