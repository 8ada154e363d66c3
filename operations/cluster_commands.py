"""kubectl and helm on the stack's own cluster: its context, never the current one."""

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from components.cluster_answer import KubernetesObject, Objects
from components.cluster_reader import ClusterReader
from operations.errors import CommandError
from operations.pulumi_command import Printed, found_on_path
from stacks.errors import SettingsError
from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.plan.stack_plan import StackPlan
from stacks.updates.guards.cluster_identity import cluster_problems

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
    def of(cls, cluster: ClusterPlan, *, needs_helm: bool = True) -> "ClusterCommands":
        """The clients for the stack's cluster, which must be on PATH; helm only where it is needed."""
        kubeconfig = str(Path(cluster.kubeconfig).expanduser()) if cluster.kubeconfig else None
        helm = found_on_path("helm", _HELM) if needs_helm else "helm"
        return replace(cls.at(cluster.context), kubeconfig=kubeconfig, helm=helm)

    @classmethod
    def at(cls, context: str) -> "ClusterCommands":
        """kubectl for a context of whatever KUBECONFIG leads to; it must be on PATH."""
        return cls(context, None, found_on_path("kubectl", _KUBECTL), "helm")

    def line(self, program: str, *arguments: str) -> str:
        """The command as it would be typed."""
        return shlex.join([program, *self._where(program), *arguments])

    def words(self, program: str, *arguments: str) -> list[str]:
        """The command for a process: the program's full path, the context and the arguments."""
        executable = self.kubectl if program == "kubectl" else self.helm
        return [executable, *self._where(program), *arguments]

    def run(self, program: str, *arguments: str, text: str = "") -> Printed:
        """Runs `kubectl` or `helm` to its end and keeps what it printed; `text` is what it reads."""
        return subprocess.run(
            self.words(program, *arguments),
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )

    def printed(self, program: str, *arguments: str, text: str = "") -> str:
        """What a command that only reads has printed; CommandError, with its own reason, where it fails."""
        answer = self.run(program, *arguments, text=text)
        if answer.returncode != 0:
            raise self.failure(answer, program, *arguments)
        return answer.stdout

    def require_answer(self) -> None:
        """Raise CommandError, with kubectl's own reason, where the cluster does not answer."""
        answer = self.run("kubectl", "get", "--raw", "/readyz", f"--request-timeout={_ANSWER_SECONDS}s")
        if answer.returncode != 0:
            raise CommandError(
                f"the cluster of context {self.context} does not answer; nothing was changed\n"
                f"  {last_line(answer.stderr)}\n"
                f"  try: `{self.line('kubectl', 'get', 'nodes')}`; nothing can be done without it"
            )

    def found(self, objects: Objects) -> Sequence[KubernetesObject]:
        """The objects; none where the server does not have the kind.

        Raises:
            CommandError: the server refuses to say.
        """
        reader = self.reader.within(_ANSWER_SECONDS)
        answer = reader.find(objects)
        if not answer.is_known:
            shown = reader.shown(objects)
            raise CommandError(f"`{shown}` failed; nothing was changed\n  {answer.why}")
        return answer.items

    @property
    def reader(self) -> ClusterReader:
        """A reader for which no answer is an answer too, and which waits for a limited time."""
        return ClusterReader(self.context, self.kubeconfig)

    def failure(self, answer: Printed, program: str, *arguments: str) -> CommandError:
        """The error of a command that only reads, with the client's own reason."""
        shown = self.line(program, *arguments)
        return CommandError(f"`{shown}` failed; nothing was changed\n  {last_line(answer.stderr)}")

    def _where(self, program: str) -> list[str]:
        flag = "--context" if program == "kubectl" else "--kube-context"
        file = ["--kubeconfig", self.kubeconfig] if self.kubeconfig else []
        return [*file, flag, self.context]


def refuse_other_cluster(stack: StackPlan) -> None:
    """Raise SettingsError where the kubeconfig does not lead to the cluster that the settings mean."""
    problems = cluster_problems(stack.cluster)
    if problems:
        raise SettingsError({stack.source: problems})


def last_line(text: str) -> str:
    """The last words of a client, which say what went wrong."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says nothing"
