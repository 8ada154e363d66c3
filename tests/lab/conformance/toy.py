"""A toy Pulumi program in a folder, a stack and a namespace of its own."""

import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.directory import REPOSITORY
from tests.support.sandbox import Sandbox

STACK = "dev"

_PROJECT = """\
name: {name}
runtime:
  name: python
  options:
    toolchain: pip
    virtualenv: {virtualenv}
"""

_PREAMBLE = """\
import pulumi
import pulumi_kubernetes as k8s

NAMESPACE = {namespace!r}


def named(name, annotations=None):
    return {{"name": name, "namespace": NAMESPACE, "annotations": annotations or {{}}}}


def options(**given):
    return pulumi.ResourceOptions(**given)


"""

# A pod that the simulated nodes take, and one that no node can ever hold.
POD = """\
CONTAINER = {"name": "main", "image": "registry.invalid/toy:1"}
HUGE = {**CONTAINER, "resources": {"requests": {"cpu": "9000"}}}


def workload(name, container=CONTAINER, **spec):
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {"selector": {"match_labels": labels}, "template": template, **spec}


"""


@dataclass
class Toy:
    """Writes programs and runs the pulumi CLI on them."""

    lab: Sandbox
    folder: Path
    namespace: str
    """The project has its name too."""

    def start(self) -> None:
        """Creates folder, stack and namespace."""
        virtualenv = REPOSITORY / ".venv"
        self.folder.mkdir(parents=True)
        (self.folder / "Pulumi.yaml").write_text(_PROJECT.format(name=self.namespace, virtualenv=virtualenv))
        self.write("")
        self.pulumi("stack", "init")
        self.lab.kubectl("create", "namespace", self.namespace)

    def write(self, program: str) -> None:
        """Replaces the program; NAMESPACE, named() and options() are there already."""
        text = _PREAMBLE.format(namespace=self.namespace) + textwrap.dedent(program)
        (self.folder / "__main__.py").write_text(text)

    def up(self, program: str | None = None, **options: Any) -> str:
        """Updates, without a preview before, and returns what was printed."""
        return self._run("up", "--yes", "--skip-preview", program=program, **options)

    def preview(self, program: str | None = None, **options: Any) -> str:
        """Previews."""
        return self._run("preview", "--diff", program=program, **options)

    def destroy(self, **options: Any) -> str:
        """Destroys."""
        return self._run("destroy", "--yes", "--skip-preview", **options)

    def drift(self) -> bool:
        """Whether a refresh would change the state."""
        return self.pulumi("refresh", "--preview-only", "--expect-no-changes", check=False).returncode != 0

    def failing(self, *command: str, program: str | None = None, **options: Any) -> str:
        """Runs a command that must fail and returns what was printed."""
        if program is not None:
            self.write(program)
        answer = self.pulumi(*command, check=False, **options)
        output = answer.stdout + answer.stderr
        assert answer.returncode != 0, output
        assert "Traceback" not in output
        return output

    def failing_up(self, program: str | None = None, **options: Any) -> str:
        """An update that must fail."""
        return self.failing("up", "--yes", "--skip-preview", program=program, **options)

    def pulumi(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Any other pulumi command."""
        return self.lab.pulumi(*arguments, "--stack", STACK, cwd=self.folder, **options)

    def kubectl(self, *arguments: str, **options: Any) -> str:
        """kubectl in the test's namespace."""
        return self.lab.kubectl("--namespace", self.namespace, *arguments, **options).stdout

    def get(self, *arguments: str) -> Any:
        """Objects of the test's namespace."""
        return self.lab.get("--namespace", self.namespace, *arguments)

    def exists(self, *arguments: str) -> bool:
        """Whether `kubectl get` finds an object of the test's namespace."""
        answer = self.lab.kubectl("--namespace", self.namespace, "get", *arguments, check=False)
        return answer.returncode == 0

    def state(self, logical_name: str) -> dict[str, Any]:
        """A resource as the stack's state has it, secrets encrypted."""
        found = [
            each
            for each in self.lab.resources(STACK, self.folder)
            if each["urn"].endswith(f"::{logical_name}")
        ]
        assert len(found) == 1, [each["urn"] for each in found]
        return found[0]

    def recorded(self) -> set[str]:
        """The logical names of all resources in the state, the stack and providers left out."""
        urns = [each["urn"] for each in self.lab.resources(STACK, self.folder)]
        return {urn.rsplit("::", 1)[1] for urn in urns if "::pulumi:" not in urn}

    def files_holding(self, text: str) -> list[str]:
        """Files of the backend that hold a text: states, history, backups."""
        found = [path for path in self.lab.directory.backend.rglob("*") if path.is_file()]
        return [str(path) for path in found if text.encode() in path.read_bytes()]

    def _run(self, *command: str, program: str | None = None, **options: Any) -> str:
        if program is not None:
            self.write(program)
        answer = self.pulumi(*command, **options)
        return answer.stdout + answer.stderr
