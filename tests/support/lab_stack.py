"""A stack brought up in a lab from a copy of the project, as its tests use it; `dev` by default."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support.sandbox import Sandbox
from tests.support.shipped_stacks import SETTINGS

STACK = "dev"
POLICY = ("--policy-pack", "policy")
GRAPH_LABEL = "nvidia.com/dynamo-graph-deployment-name"
STORED = "dynamographdeployments.v1alpha1.nvidia.com"
"""Graphs as they are stored: this version is read also while no conversion webhook answers."""
# Kinds that the control plane keeps for itself: written all the time, not stored at all, or (APIService)
# the API server's own mirror of every CustomResourceDefinition.
_OWN_KINDS = {
    "apiservices.apiregistration.k8s.io",
    "componentstatuses",
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
}


@dataclass(frozen=True)
class LabStack:
    """The stack's project folder and the lab that it runs in."""

    lab: Sandbox
    project: Path
    name: str = STACK

    def up(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """`pulumi up` with the policy pack; extra arguments at the end."""
        return self.pulumi("up", "--yes", *POLICY, *arguments, **options)

    def pulumi(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """A pulumi command on the stack."""
        return self.lab.pulumi(*arguments, "--stack", self.name, cwd=self.project, **options)

    def failing(self, *arguments: str, **options: Any) -> str:
        """What a person reads of a pulumi command that must fail, without a traceback."""
        failed = self.pulumi(*arguments, check=False, **options)
        said = failed.stdout + failed.stderr
        assert failed.returncode != 0, said
        assert "Traceback" not in said, said
        return said

    def failing_up(self, *arguments: str, **options: Any) -> str:
        """The same of `pulumi up`."""
        return self.failing("up", "--yes", "--skip-preview", *arguments, **options)

    def dynamo_stack(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """This product's own command, in the stack's project; the stack is named in the arguments."""
        # An absolute path stands for itself: the command is installed beside Python, not in the lab.
        command = str(Path(sys.executable).with_name("dynamo-stack"))
        return self.lab.run(command, *arguments, cwd=self.project, **options)

    def changes(self) -> dict[str, int]:
        """How many resources the last finished operation changed, by kind of change, `same` left out."""
        history = json.loads(self.pulumi("stack", "history", "--json", "--page-size", "1").stdout)
        return {kind: number for kind, number in history[0]["resourceChanges"].items() if kind != "same"}

    def settings(self) -> dict[str, Any]:
        """The stack file of this copy."""
        return yaml.safe_load((self.project / f"Pulumi.{self.name}.yaml").read_text())

    def write_settings(self, content: dict[str, Any]) -> None:
        """Replaces the stack file of this copy."""
        (self.project / f"Pulumi.{self.name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))

    def change_settings(self, edit: Callable[[dict[str, Any]], object]) -> None:
        """Edits the settings of this copy as a person does."""
        content = self.settings()
        edit(content["config"][SETTINGS])
        self.write_settings(content)

    def change_serving(self, **changes: Any) -> None:
        """Edits the settings below `serving`."""
        self.change_settings(lambda settings: settings["serving"].update(changes))

    def urns(self) -> list[str]:
        """The URNs in the stack's state, sorted."""
        return sorted(resource["urn"] for resource in self.lab.resources(self.name, self.project))


def inventory(lab: Sandbox) -> dict[str, tuple[str, int | None]]:
    """Every object of every listable kind: `kind namespace/name` -> (uid, generation)."""
    listing = lab.kubectl("api-resources", "--verbs=list", "-o", "name").stdout.split()
    kinds = [kind for kind in listing if kind not in _OWN_KINDS]
    items = lab.get(",".join(kinds), "--all-namespaces")["items"]
    return {
        f"{item['kind']} {item['metadata'].get('namespace', '')}/{item['metadata']['name']}": (
            item["metadata"]["uid"],
            item["metadata"].get("generation"),
        )
        for item in items
    }


def replicas_of(lab: Sandbox, service: str, graph: str, namespace: str) -> int:
    """How many pods of the service the graph asks for."""
    replicas: int = lab.get(STORED, graph, "-n", namespace)["spec"]["services"][service]["replicas"]
    return replicas
