"""Runs the real helm. Values go in through standard input: never a command line, never a file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import yaml

from lab.kubernetes_provider.errors import ProviderError
from lab.kubernetes_provider.identity import resource_id

if TYPE_CHECKING:
    from lab.kubernetes_provider.session import Session

# The vendor's plugin runs Helm inside its own process: killing it stops Helm in the middle of its work. A
# helm that lived on would finish the work and hide what such a kill leaves behind.
_ENDS_WITH_THIS_PROCESS = ("setpriv", "--pdeathsig", "KILL", "--")
_POLL_SECONDS = 0.5
_PREFIX = re.compile(r"^Error: (?:INSTALLATION FAILED: |UPGRADE FAILED: |uninstall: )?", re.MULTILINE)
_STATUS = ("appVersion", "chart", "name", "namespace", "revision", "status", "version")


class HelmError(ProviderError):
    """Helm failed; the text is its own."""


class Helm:
    """The helm executable on one release of a session's cluster."""

    def __init__(self, session: Session, name: str, namespace: str) -> None:
        self._session = session
        self._name = name
        self._namespace = namespace

    def run(self, *arguments: str, values: dict[str, Any] | None = None) -> str:
        """Standard output of one helm command. Raises HelmError; a cancelled session interrupts helm."""
        if self._session.chosen is None:
            raise HelmError(self._session.unreachable_reason)
        command = [*_ENDS_WITH_THIS_PROCESS, "helm", *arguments]
        command += ["--namespace", self._namespace, *(["--values", "-"] if values is not None else [])]
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HELM_KUBE")}
        child = subprocess.Popen(
            command,
            env={**kept, "KUBECONFIG": str(self._session.kubeconfig_file)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        output, errors = self._communicate(child, json.dumps(values) if values is not None else "")
        if child.returncode != 0:
            found = _PREFIX.search(errors)
            raise HelmError(errors[found.end() if found else 0 :].strip())
        return output

    def find(self) -> dict[str, Any] | None:
        """The newest revision as the `status` output has it, None when there is no such release."""
        try:
            found = json.loads(self.run("get", "metadata", self._name, "--output", "json"))
        except HelmError as error:
            if "release: not found" in str(error):
                return None
            raise
        return {key: found.get(key, "") for key in _STATUS}

    def values(self) -> dict[str, Any]:
        """The values that the release was installed with, without the chart's own."""
        return json.loads(self.run("get", "values", self._name, "--output", "json")) or {}

    def resource_names(self) -> dict[str, list[str]]:
        """Names of the rendered objects by "Kind.group/apiVersion"."""
        return names_in(self.run("get", "manifest", self._name))

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


def names_in(manifest: str) -> dict[str, list[str]]:
    """The names of all objects in a rendered manifest, grouped as the `resourceNames` output is."""
    names: dict[str, list[str]] = {}
    for document in yaml.load_all(manifest, Loader=yaml.CSafeLoader):
        if isinstance(document, dict) and "kind" in document:
            api_version = document["apiVersion"]
            group, separator, _ = api_version.rpartition("/")
            kind = f"{document['kind']}.{group}" if separator else document["kind"]
            names.setdefault(f"{kind}/{api_version}", []).append(resource_id(document))
    return {key: sorted(names[key]) for key in sorted(names)}
