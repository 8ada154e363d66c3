"""Reads the cluster of a stack: objects by Kubernetes' own client; logs, pages and deletions with kubectl."""

import json
import logging
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode, urlsplit

import yaml

from components.cluster_answer import DEFINITIONS, Answer, Kind, KubernetesObject, Objects, Said

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

_KUBECTL_SECONDS = 20
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _FIRST_ERROR = 401, 403, 404, 400
_DEFAULT_KUBECONFIG = "~/.kube/config"


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
        return shlex.join(["kubectl", *self._where(self.kubeconfig), *words])

    def within(self, seconds: int) -> Self:
        """Return a reader that waits so long at most for an answer."""
        return replace(self, seconds=seconds)

    def ask(self, kind: Kind, name: str = "", namespace: str | None = None, **selectors: str) -> Answer:
        """Return the object of this name, or all of the kind; `selectors` as the API names them.

        It never raises: what keeps the cluster from saying is an answer too.
        """
        if self.content == "":
            return Answer(Said.UNREACHABLE, why="the cluster's kubeconfig is not known yet")
        from kubernetes.config import ConfigException  # noqa: PLC0415 - it takes as long as a whole `check`

        try:
            files = self.kubeconfig or os.environ.get("KUBECONFIG") or _DEFAULT_KUBECONFIG
            client = _client(self.context, files, self.content)
        except (ConfigException, OSError, yaml.YAMLError, ValueError, TypeError, AttributeError) as error:
            # The client takes the file for what it should be: a list, or a number as the server, ends it.
            # The text of errors that are not its own may be a part of the file, which holds secrets.
            why = str(error) if isinstance(error, ConfigException) else type(error).__name__
            return Answer(Said.UNREACHABLE, why=_line(f"the kubeconfig leads nowhere: {why}"))
        version = kind.version or _stored_version(client, kind, self.seconds)
        if isinstance(version, Answer):
            return version
        return _get(client, kind.path(version, name, namespace), self.seconds, selectors)

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
        return self._printed("logs", *words)

    def page(self, path: str) -> str:
        """Return what the API server answers at a path, also of a pod behind it; empty where nothing."""
        return self._printed("get", "--raw", path)

    def delete(self, *words: str) -> str:
        """Delete without waiting; returns why the cluster refuses, empty where it does not."""
        try:
            self._run("delete", *words, "--wait=false", "--ignore-not-found")
        except subprocess.CalledProcessError as refused:
            return str(refused.stderr).strip()
        except (subprocess.SubprocessError, OSError) as failed:
            return str(failed)
        return ""

    def _printed(self, *words: str) -> str:
        """What kubectl prints; empty where it fails, which must not hide the reason why `up` failed."""
        try:
            return self._run(*words)
        except (subprocess.SubprocessError, OSError):
            return ""

    def _run(self, *words: str) -> str:
        kubectl = shutil.which("kubectl")
        if kubectl is None or self.content == "":
            raise FileNotFoundError("there is no kubectl" if kubectl is None else "there is no cluster yet")
        with self._file() as kubeconfig:
            return subprocess.run(
                [kubectl, *self._where(kubeconfig), *words],
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

    def _where(self, kubeconfig: str | None) -> list[str]:
        return [*(["--kubeconfig", kubeconfig] if kubeconfig else []), "--context", self.context]


def version_stored_by(definition: Answer) -> str | None:
    """Return the version in which a definition's objects are stored; None where nobody says."""
    versions: Sequence[Mapping[str, Any]] = (definition.first or {}).get("spec", {}).get("versions") or []
    return next((str(version["name"]) for version in versions if version.get("storage")), None)


def _stored_version(client: "ApiClient", kind: Kind, seconds: float) -> str | Answer:
    definition = _get(client, DEFINITIONS.path("v1", f"{kind.plural}.{kind.group}"), seconds)
    if version := version_stored_by(definition):
        return version
    if definition.said is not Said.FORBIDDEN:
        return Answer(Said.ABSENT) if definition.is_known else definition
    # An account that may read one namespace alone reads no definitions, but may ask what is served.
    group = _get(client, f"/apis/{kind.group}", seconds)
    return str(group.first["preferredVersion"]["version"]) if group.first else group


def _get(
    client: "ApiClient", path: str, seconds: float, selectors: Mapping[str, str] | None = None
) -> Answer:
    from kubernetes.client import ApiException  # noqa: PLC0415 - as above
    from urllib3.exceptions import HTTPError  # noqa: PLC0415 - as above

    headers = {"Accept": "application/json"}
    query = f"?{urlencode(selectors)}" if selectors else ""
    url = f"{client.configuration.host}{path}{query}"
    try:
        client.update_params_for_auth(headers, [], ["BearerToken"], path, "GET", None)
        response = client.rest_client.request("GET", url, headers=headers, _request_timeout=seconds)
        data: bytes = response.read()
    except (ApiException, HTTPError, OSError) as error:
        return Answer(Said.UNREACHABLE, why=_line(f"the API server does not answer: {error}"))
    try:
        document: object = json.loads(data)
    except ValueError:
        document = None
    return _read(response.status, document if isinstance(document, dict) else {})


def _read(status: int, document: KubernetesObject) -> Answer:
    if status == _NOT_FOUND:
        # Of an object that is not there the server tells the name; of a kind, it only has no such page.
        named = (document.get("details") or {}).get("name")
        return Answer(Said.EMPTY if named else Said.ABSENT)
    if status in {_UNAUTHORIZED, _FORBIDDEN}:
        why = document.get("message") or f"the API server answers {status}"
        refused = "the credentials are refused: " if status == _UNAUTHORIZED else ""
        return Answer(Said.FORBIDDEN, why=_line(f"{refused}{why}"))
    if status >= _FIRST_ERROR or not document:
        why = document.get("message") or f"status {status}"
        return Answer(Said.UNREACHABLE, why=_line(f"the API server answers {why}"))
    items = document.get("items")
    return Answer.of(items if isinstance(items, list) else [document])


@lru_cache
def _client(context: str, files: str, content: str | None) -> "ApiClient":
    """One client for a process: each asks the kubeconfig's program, such as `aws`, for a token."""
    from kubernetes.client import ApiClient, Configuration  # noqa: PLC0415 - as above
    from kubernetes.config import (  # noqa: PLC0415 - as above
        ConfigException,
        load_kube_config,
        load_kube_config_from_dict,
    )

    # Each question names its own limit of time.
    configuration = Configuration(retries=False)
    more = {"context": context, "client_configuration": configuration, "persist_config": False}
    heard = _Heard(logging.ERROR)
    logging.getLogger().addHandler(heard)
    try:
        if content is None:
            load_kube_config(config_file=files, **more)
        else:
            load_kube_config_from_dict(yaml.safe_load(content), **more)
    finally:
        logging.getLogger().removeHandler(heard)
    if heard.errors:
        raise ConfigException(f"its program that brings a token failed: {heard.errors[0]}")
    host = urlsplit(configuration.host).hostname or ""
    if host in {"localhost", "::1"} or host.startswith("127."):
        # As kubectl has it (golang.org/x/net/http/httpproxy, useProxy).
        configuration.proxy = None
    return ApiClient(configuration)


class _Heard(logging.Handler):
    """What the client logs where it should raise: that the kubeconfig's program is missing or fails.

    It goes on without a token, and the API server, which does not know the caller, seems to refuse.
    """

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.module == "kube_config":
            self.errors.append(record.getMessage())


def _line(text: str) -> str:
    return " ".join(text.split())
