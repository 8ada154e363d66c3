"""Reads the cluster of a stack: objects by Kubernetes' own client; logs, pages and deletions with kubectl."""

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

from components.cluster_answer import (
    DEFINITIONS,
    Answer,
    ClusterAddress,
    Kind,
    Objects,
    ask,
    version_stored_by,
)

_KUBECTL_SECONDS = 20


@dataclass(frozen=True, slots=True)
class ClusterReader:
    """The cluster of the stack, as kubectl finds it."""

    context: str
    kubeconfig: str | None = None
    """A file; None: whatever KUBECONFIG leads to."""
    content: str | None = None
    """A kubeconfig that is in no file of a person's; its context has the name `context`. Empty: it is not
    known yet, and nothing can be looked at."""
    once: str = ""
    """What a person types before the first of the commands; empty: nothing."""
    seconds: int = _KUBECTL_SECONDS
    """How long an answer may take."""

    def command(self, *words: str) -> str:
        """Return the command for a person to type."""
        return shlex.join(["kubectl", *self._where(), *words])

    def within(self, seconds: int) -> Self:
        """Return a reader that waits so long at most for an answer."""
        return replace(self, seconds=seconds)

    def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
        """Return the object of this name, or all of the kind, and why where the cluster does not say."""
        address = ClusterAddress(self.context, self.kubeconfig, self.content)
        return ask(address, kind, name, namespace, seconds=self.seconds, **selectors)

    def find(self, objects: Objects) -> Answer:
        """Return these objects, and why where the cluster does not say."""
        selectors = {"labelSelector": objects.labels} if objects.labels else {}
        return self.ask(objects.kind, objects.name, objects.namespace, **selectors)

    def shown(self, objects: Objects, *more: str, verb: str = "get") -> str:
        """Return the command that shows these objects, for a person to type."""
        named = (self.resource(objects.kind), *([objects.name] if objects.name else []))
        return self.command(verb, *named, *objects.where, *more)

    def resource(self, kind: Kind) -> str:
        """Return what to call a kind so that kubectl reads it at the version in which it is stored.

        By its plain name kubectl asks for the newest served version. Where that is not the stored one, the
        operator's webhook has to convert every object, and nothing can be read or deleted while it is away.
        """
        if kind.version:
            return f"{kind.plural}.{kind.group}" if kind.group else kind.plural
        stored = self.stored_version(kind)
        return f"{kind.plural}.{stored}.{kind.group}" if stored else f"{kind.plural}.{kind.group}"

    def stored_version(self, kind: Kind) -> str | None:
        """Return the version in which a definition's objects are stored; None where nobody says."""
        return version_stored_by(self.ask(DEFINITIONS, f"{kind.plural}.{kind.group}"))

    def log(self, *words: str) -> str:
        """Return what `kubectl logs` prints; empty where there is nothing, or it cannot be read."""
        return self._printed("logs", *words) or ""

    def page(self, path: str) -> str:
        """Return what the API server answers at a path, also of a pod behind it; empty where nothing."""
        return self._printed("get", "--raw", path) or ""

    def delete(self, *words: str) -> str:
        """Delete without waiting; returns why the cluster refuses, empty where it does not."""
        try:
            self._run("delete", *words, "--wait=false", "--ignore-not-found")
        except subprocess.CalledProcessError as refused:
            return str(refused.stderr).strip()
        except (subprocess.SubprocessError, OSError) as failed:
            return str(failed)
        return ""

    def _printed(self, *words: str) -> str | None:
        """What kubectl prints; None where it fails: the reason why `up` failed must not be hidden by that."""
        try:
            return self._run(*words)
        except (subprocess.SubprocessError, OSError):
            return None

    def _run(self, *words: str) -> str:
        kubectl = shutil.which("kubectl")
        if kubectl is None or self.content == "":
            raise FileNotFoundError("there is no kubectl" if kubectl is None else "there is no cluster yet")
        with self._file() as kubeconfig:
            where = [*(["--kubeconfig", kubeconfig] if kubeconfig else []), "--context", self.context]
            return subprocess.run(
                [kubectl, *where, *words],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.seconds,
                check=True,
            ).stdout

    @contextmanager
    def _file(self) -> Iterator[str | None]:
        """The kubeconfig's file: nobody else can read one that is made here, and it is gone afterwards."""
        if self.content is None:
            yield self.kubeconfig
            return
        with tempfile.NamedTemporaryFile("w", prefix="kubeconfig-", encoding="utf-8") as file:
            file.write(self.content)
            file.flush()
            yield file.name

    def _where(self) -> list[str]:
        kubeconfig = ["--kubeconfig", self.kubeconfig] if self.kubeconfig else []
        return [*kubeconfig, "--context", self.context]
