"""Runs the real helm. Values go in through standard input: never a command line, never a file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session

_LAUNCHER = Path(__file__).with_name("die_with_parent.py")
_POLL_SECONDS = 0.5
_PREFIX = re.compile(r"^Error: (?:INSTALLATION FAILED: |UPGRADE FAILED: |uninstall: )?", re.MULTILINE)


class HelmError(Exception):
    """Helm failed; the text is its own."""

    @property
    def is_not_found(self) -> bool:
        """Whether there is no such release."""
        return "release: not found" in str(self)


@dataclass(frozen=True)
class Installed:
    """A release as Helm records it."""

    name: str
    namespace: str
    chart: str
    version: str
    app_version: str
    revision: int
    status: str

    def as_status(self) -> dict[str, Any]:
        """The Release resource's `status` output."""
        return {
            "appVersion": self.app_version,
            "chart": self.chart,
            "name": self.name,
            "namespace": self.namespace,
            "revision": self.revision,
            "status": self.status,
            "version": self.version,
        }


class Helm:
    """The helm executable against one session's cluster."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def run(self, *arguments: str, namespace: str, values: dict[str, Any] | None = None) -> str:
        """Standard output of one helm command. Raises HelmError; a cancelled session interrupts helm."""
        helm = shutil.which("helm")
        if helm is None:
            raise HelmError("there is no helm executable on PATH")
        command = [sys.executable, "-S", "-P", str(_LAUNCHER), str(os.getpid()), helm, *arguments]
        command += ["--namespace", namespace]
        if values is not None:
            command += ["--values", "-"]
        child = subprocess.Popen(
            command,
            env=self._environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        given = json.dumps(values) if values is not None else ""
        output, errors = self._communicate(child, given)
        if child.returncode != 0:
            raise HelmError(_message(errors))
        return output

    def find(self, name: str, namespace: str) -> Installed | None:
        """The release's newest revision, None when there is no such release."""
        try:
            text = self.run("get", "metadata", name, "--output", "json", namespace=namespace)
        except HelmError as error:
            if error.is_not_found:
                return None
            raise
        found = json.loads(text)
        return Installed(
            name=found["name"],
            namespace=found["namespace"],
            chart=found["chart"],
            version=found["version"],
            app_version=found.get("appVersion", ""),
            revision=int(found["revision"]),
            status=found["status"],
        )

    def values(self, name: str, namespace: str) -> dict[str, Any]:
        """The values that the release was installed with, without the chart's own."""
        return json.loads(self.run("get", "values", name, "--output", "json", namespace=namespace)) or {}

    def resource_names(self, name: str, namespace: str) -> dict[str, list[str]]:
        """Names of the rendered objects by "Kind.group/apiVersion"."""
        return names_in(self.run("get", "manifest", name, namespace=namespace))

    def _communicate(self, child: subprocess.Popen[str], given: str) -> tuple[str, str]:
        sent: str | None = given
        while True:
            try:
                return child.communicate(sent, timeout=_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                sent = None
                if self._session.cancelled.is_set():
                    # helm marks the release as failed and ends, as it does for a person's Ctrl-C.
                    child.terminate()

    def _environment(self) -> dict[str, str]:
        if self._session.chosen is None:
            raise HelmError(self._session.unreachable_reason)
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HELM_KUBE")}
        return {**kept, "KUBECONFIG": str(self._session.kubeconfig_file)}


def names_in(manifest: str) -> dict[str, list[str]]:
    """The names of all objects in a rendered manifest, grouped as the `resourceNames` output is."""
    names: dict[str, list[str]] = {}
    for document in yaml.load_all(manifest, Loader=yaml.CSafeLoader):
        if not isinstance(document, dict) or "kind" not in document:
            continue
        api_version = document["apiVersion"]
        group = api_version.rpartition("/")[0]
        kind = f"{document['kind']}.{group}" if group else document["kind"]
        metadata = document["metadata"]
        name = (
            f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]
        )
        names.setdefault(f"{kind}/{api_version}", []).append(name)
    return {key: sorted(names[key]) for key in sorted(names)}


def _message(errors: str) -> str:
    found = _PREFIX.search(errors)
    return errors[found.end() :].strip() if found else errors.strip()
