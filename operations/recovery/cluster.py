"""kubectl and helm on the stack's own cluster: its context, never the current one."""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operations.errors import CommandError
from operations.pulumi_command import Printed, found_on_path
from stacks.plan.infrastructure.cluster import ClusterPlan

_ANSWER_SECONDS = 15
_KUBECTL = "https://kubernetes.io/docs/tasks/tools/"
_HELM = "https://helm.sh/docs/intro/install/"


@dataclass(frozen=True)
class ClusterCommands:
    """The person's own clients, with the context of the settings on every command line."""

    context: str
    kubeconfig: str | None
    kubectl: str
    helm: str

    @classmethod
    def of(cls, cluster: ClusterPlan) -> "ClusterCommands":
        """The clients for the stack's cluster.

        Raises:
            CommandError: kubectl or helm is not on PATH.

        """
        kubeconfig = str(Path(cluster.kubeconfig).expanduser()) if cluster.kubeconfig else None
        kubectl, helm = found_on_path("kubectl", _KUBECTL), found_on_path("helm", _HELM)
        return cls(cluster.context, kubeconfig, kubectl, helm)

    def line(self, program: str, *arguments: str) -> str:
        """The command as it would be typed."""
        return shlex.join([program, *self._where(program), *arguments])

    def run(self, program: str, *arguments: str, text: str = "") -> Printed:
        """Runs `kubectl` or `helm` to its end and keeps what it printed; `text` is what it reads."""
        executable = self.kubectl if program == "kubectl" else self.helm
        done = subprocess.run(
            [executable, *self._where(program), *arguments],
            env=dict(os.environ),
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        return Printed(done.returncode, done.stdout, done.stderr)

    def require_answer(self) -> None:
        """Ends the command when the cluster does not answer.

        Raises:
            CommandError: with kubectl's own reason.

        """
        answer = self.run("kubectl", "get", "--raw", "/readyz", f"--request-timeout={_ANSWER_SECONDS}s")
        if answer.code != 0:
            raise CommandError(
                f"the cluster of context {self.context} does not answer; nothing was changed\n"
                f"  {last_line(answer.err)}\n"
                f"  try: `{self.line('kubectl', 'get', 'nodes')}`; nothing can be recovered without it"
            )

    def get(self, *arguments: str) -> Mapping[str, Any] | None:
        """What `kubectl get` finds, None for nothing; a kind that the server does not have is nothing too.

        Raises:
            CommandError: the server refuses to say.

        """
        answer = self.run("kubectl", "get", *arguments, "--ignore-not-found", "--output=json")
        if answer.code != 0 and "doesn't have a resource type" not in answer.err:
            shown = self.line("kubectl", "get", *arguments)
            raise CommandError(f"`{shown}` failed; nothing was changed\n  {last_line(answer.err)}")
        return json.loads(answer.out) if answer.code == 0 and answer.out.strip() else None

    def look(self, *arguments: str) -> Mapping[str, Any] | None:
        """What `kubectl get` finds; None for nothing, and also where the server refuses to say."""
        try:
            return self.get(*arguments)
        except CommandError:
            return None

    def _where(self, program: str) -> list[str]:
        flag = "--context" if program == "kubectl" else "--kube-context"
        file = ["--kubeconfig", self.kubeconfig] if self.kubeconfig else []
        return [*file, flag, self.context]


def last_line(text: str) -> str:
    """What a client says last, which is what went wrong."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says nothing"
