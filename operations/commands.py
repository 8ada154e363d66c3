"""Runs the person's own `pulumi` on one stack, and `kubectl` and `helm` on that stack's cluster, as typed.

The cluster is that of the stack's context, never the current one.
"""

import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import environ
from pathlib import Path
from typing import TypeAlias, TypeVar

from components.cluster_answer import KubernetesObject, Objects
from components.cluster_reader import ClusterReader
from operations.errors import CommandError
from operations.project import project_directory
from stacks.errors import SettingsError
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import ClusterSettings
from stacks.updates.guards.cluster_identity import cluster_problems

_Answer = TypeVar("_Answer")

_SHOWN_LINES = 12
_INSTALL = {
    "helm": "https://helm.sh/docs/intro/install/",
    "kubectl": "https://kubernetes.io/docs/tasks/tools/",
    "pulumi": "https://www.pulumi.com/docs/iac/download-install/",
}


Printed: TypeAlias = "subprocess.CompletedProcess[str]"
"""Exit code and output of a finished command."""


@dataclass(frozen=True)
class PulumiCommand:
    """The pulumi CLI in a project's folder. It asks nothing: there may be nobody to answer."""

    stack: str
    directory: Path
    executable: str

    @classmethod
    def of_stack(cls, stack: str) -> "PulumiCommand":
        """The CLI for a stack of the project that the current folder belongs to.

        Raises:
            CommandError: there is no pulumi on PATH, or no project here.
        """
        return cls(stack, project_directory(), found_on_path("pulumi"))

    def line(self, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
        """The command as it would be typed, to be shown before it runs."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in (variables or {}).items()]
        return " ".join([*assignments, shlex.join(["pulumi", *arguments, "--stack", self.stack])])

    def stream(self, *arguments: str, variables: Mapping[str, str] | None = None) -> int:
        """The exit code; what pulumi prints goes where this process prints."""
        process = self._started(arguments, variables, output=None)
        _in_order(process.wait, process)
        return process.returncode

    def capture(self, *arguments: str, variables: Mapping[str, str] | None = None) -> Printed:
        """Exit code and output, without colour."""
        words = (*arguments, "--color=never")
        process = self._started(words, variables, output=subprocess.PIPE)
        out, err = _in_order(process.communicate, process)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def failure(self, said: str, *arguments: str) -> CommandError:
        """The error of a command that failed, with the last lines of what it said."""
        lines = said.strip().splitlines()[-_SHOWN_LINES:]
        shown = "".join(f"\n  {line}" for line in lines if line.strip())
        return CommandError(f"`{self.line(*arguments)}` failed:{shown}")

    def _started(
        self,
        arguments: tuple[str, ...],
        variables: Mapping[str, str] | None,
        *,
        output: int | None,
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.executable, *arguments, "--stack", self.stack, "--non-interactive"],
            cwd=self.directory,
            env={**environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            text=True,
            # A terminal's Ctrl-C reaches it through this process alone: told twice, pulumi leaves its lock.
            process_group=0,
        )


def found_on_path(name: str) -> str:
    """The full path of a program that the command needs; CommandError where it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise CommandError(
            f"`{name}` is needed and not on PATH\n"
            f"  try: install it, {_INSTALL[name]}; for the simulated cluster type `make shell`, which has it"
        )
    return found


def _in_order(ended: Callable[[], _Answer], process: "subprocess.Popen[str]") -> _Answer:
    """Return its answer; a Ctrl-C is told to pulumi, which ends in order, and raised once it has ended."""
    interruption: KeyboardInterrupt | None = None
    while True:
        try:
            answer = ended()
        except KeyboardInterrupt as error:
            interruption = error
            process.send_signal(signal.SIGINT)
            continue
        if interruption is not None:
            raise interruption
        return answer


_ANSWER_SECONDS = 15
_UNAUTHORIZED = "You must be logged in to the server"
"""Of kubectl where the API server answers 401 (kubernetes/kubectl pkg/cmd/util/helpers.go)."""
_LACKED_RIGHT = re.compile(
    r'cannot (\w+) resource "(\w+)" in API group "([\w.-]*)"(?: in the namespace "([\w.-]+)")?'
)
"""Of the API server where it answers 403 (kubernetes/apiserver handlers/responsewriters/errors.go)."""


class ClusterCommands(ClusterReader):
    """The stack's cluster, with the person's own kubectl and helm for what no client of Kubernetes does."""

    @classmethod
    def of(cls, cluster: ClusterSettings, *, needs_helm: bool = True) -> "ClusterCommands":
        """The cluster, whose clients must be on PATH; helm only where it is needed."""
        found_on_path("kubectl")
        if needs_helm:
            found_on_path("helm")
        return cls(
            cluster.context, str(Path(cluster.kubeconfig).expanduser()) if cluster.kubeconfig else None
        )

    @classmethod
    def of_stack(cls, stack: StackPlan, *, needs_helm: bool = True) -> "ClusterCommands":
        """The stack's cluster; SettingsError where the kubeconfig leads to another one, or to none."""
        refuse_other_cluster(stack)
        return cls.of(stack.settings.cluster, needs_helm=needs_helm)

    def line(self, program: str, *arguments: str) -> str:
        """The command as it would be typed."""
        return shlex.join(self.words(program, *arguments))

    def words(self, program: str, *arguments: str) -> list[str]:
        """The command for a process: the program, the context of the settings and the arguments."""
        flag = "--context" if program == "kubectl" else "--kube-context"
        file = ["--kubeconfig", self.kubeconfig] if self.kubeconfig else []
        return [program, *file, flag, self.context, *arguments]

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
        """Raise CommandError, with kubectl's own reason, where the cluster does not answer this account."""
        answer = self.run("kubectl", "get", "--raw", "/readyz", f"--request-timeout={_ANSWER_SECONDS}s")
        if answer.returncode == 0:
            return
        does = "does not answer"
        reason = last_line(answer.stderr)
        look = f"`{self.command('get', 'nodes')}`; nothing can be done without it"
        if _UNAUTHORIZED in reason:
            does = "refuses the credentials of the kubeconfig"
            look = f"log in again (with EKS `aws sso login`, or AWS_PROFILE), then {look}"
        raise CommandError(
            f"the cluster of context {self.context} {does}; nothing was changed\n  {reason}\n  try: {look}"
        )

    def found(self, objects: Objects) -> Sequence[KubernetesObject]:
        """The objects; none where the server does not have the kind.

        Raises:
            CommandError: the server refuses to say.
        """
        answer = self.within(_ANSWER_SECONDS).find(objects)
        if not answer.is_known:
            raise _failed(self.shown(objects), answer.why, self)
        return answer.items

    def failure(self, answer: Printed, program: str, *arguments: str) -> CommandError:
        """The error of a command that only reads, with the client's own reason."""
        return _failed(self.line(program, *arguments), last_line(answer.stderr), self)


def _failed(shown: str, reason: str, cluster: ClusterReader) -> CommandError:
    """Return that a question has failed; where a right is missing, with the question after it."""
    advice = ""
    if lacked := _LACKED_RIGHT.search(reason):
        verb, resource, group, namespace = lacked.groups()
        kind = f"{resource}.{group}" if group else resource
        where = ("--namespace", namespace) if namespace else ()
        advice = f"\n  try: `{cluster.command('auth', 'can-i', verb, kind, *where)}`"
    return CommandError(f"`{shown}` failed; nothing was changed\n  {reason}{advice}")


def refuse_other_cluster(stack: StackPlan) -> None:
    """Raise SettingsError where the kubeconfig does not lead to the cluster that the settings mean."""
    problems = cluster_problems(stack.settings.cluster)
    if problems:
        raise SettingsError({stack.source: problems})


def last_line(text: str) -> str:
    """The last words of a client, which say what went wrong."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it says nothing"
