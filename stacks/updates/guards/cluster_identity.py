"""Whether the kubeconfig leads to the cluster that the settings mean.

Looked at before anything is registered: a context that does not exist fails only at the first object, and one
that has been pointed at another cluster does not fail at all. Nothing but names and addresses is read out of
the kubeconfig; its credentials never reach a message.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import yaml

from components.cluster_reader import ClusterReader
from resource_graph.spelling import nearest
from stacks.errors import Problem
from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.updates.nested_values import mapping_in, mappings_in

_PROVIDER = "::pulumi:providers:kubernetes::cluster"
_DEFAULT_PORTS = {"https": 443, "http": 80}
_VARIABLE = "KUBECONFIG"
_MANY_CONTEXTS = 12
_SIMULATED = "dynamo-lab"
_SIMULATED_FIRST = (
    "`make lab-up`, which starts this simulated cluster, then `make shell`, which alone sees it"
)


class _UnreadableError(Exception):
    """A kubeconfig that is not one; the text names the file and nothing of its content."""


def cluster_problems(cluster: ClusterPlan, environment: Mapping[str, str]) -> tuple[Problem, ...]:
    """Return why the kubeconfig does not lead to the cluster that was meant; nothing where it does.

    Of the environment KUBECONFIG and HOME count.
    """
    files = _files(cluster, environment)
    existing = [file for file in files if file.is_file()]
    if not existing:
        return (_no_file(cluster, files, environment),)
    try:
        contexts, servers = _merged(_document(file) for file in existing)
    except _UnreadableError as error:
        key = "cluster.kubeconfig" if cluster.kubeconfig else "cluster.context"
        return (Problem(key, cluster.kubeconfig, str(error)),)
    if cluster.context not in contexts:
        return (_no_context(cluster, sorted(contexts), existing),)
    return _server_problems(cluster, contexts[cluster.context], servers)


def same_address(one: str, other: str) -> bool:
    """Whether two addresses of an API server agree but for case, a default port and a slash at the end."""
    return _normalised(one) == _normalised(other)


def cluster_of_state(
    cluster: ClusterPlan, file: str | None, resources: Mapping[str, Mapping[str, Any]]
) -> ClusterReader:
    """Return what reads the cluster before anything is registered.

    `resources` are URN -> outputs of the state: an EKS cluster's kubeconfig is its provider's.
    """
    if not cluster.region:
        return ClusterReader(cluster.context, file)
    found = (outputs.get("kubeconfig") for urn, outputs in resources.items() if urn.endswith(_PROVIDER))
    content = next((each for each in found if isinstance(each, str)), "")
    return ClusterReader(cluster.context, content=content)


def _files(cluster: ClusterPlan, environment: Mapping[str, str]) -> list[Path]:
    # The order of client-go's loading rules, which the provider follows too.
    if cluster.kubeconfig:
        return [_expanded(cluster.kubeconfig, environment)]
    listed = [name for name in environment.get(_VARIABLE, "").split(os.pathsep) if name]
    return [Path(name) for name in listed] or [_expanded("~/.kube/config", environment)]


def _expanded(path: str, environment: Mapping[str, str]) -> Path:
    home = environment.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return Path(home) / path[2:]
    return Path(path).expanduser()


def _document(file: Path) -> Mapping[str, Any]:
    try:
        document: object = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        # The parser's own words would quote the line, which may hold a token.
        raise _UnreadableError(f"{file} cannot be read as a kubeconfig") from None
    if document is None:
        return {}
    if not isinstance(document, Mapping):
        raise _UnreadableError(f"{file} cannot be read as a kubeconfig")
    return cast("Mapping[str, Any]", document)


def _merged(documents: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return context -> cluster and cluster -> server."""
    contexts: dict[str, str] = {}
    clusters: dict[str, str] = {}
    for document in documents:
        # Of two entries with one name the first file's counts.
        contexts = _entries(document, "contexts", "context", "cluster") | contexts
        clusters = _entries(document, "clusters", "cluster", "server") | clusters
    return contexts, clusters


def _entries(document: Mapping[str, Any], section: str, kind: str, field: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in mappings_in(document, section):
        name = entry.get("name")
        if isinstance(name, str):
            found.setdefault(name, str(mapping_in(entry, kind).get(field) or ""))
    return found


def _server_problems(cluster: ClusterPlan, name: str, servers: Mapping[str, str]) -> tuple[Problem, ...]:
    server = servers.get(name, "")
    if not server:
        message = f"this context's cluster {name!r} has no server in the kubeconfig"
        return (Problem("cluster.context", cluster.context, message),)
    if cluster.server is None or same_address(server, cluster.server):
        return ()
    where = _shown(server)
    message = f"context {cluster.context} leads to another cluster, {where}; nothing was created or changed"
    suggestion = "another context or kubeconfig; or this server, if the cluster's address has changed"
    return (Problem("cluster.server", cluster.server, message, suggestion=suggestion),)


def _no_file(cluster: ClusterPlan, files: list[Path], environment: Mapping[str, str]) -> Problem:
    if cluster.kubeconfig:
        message = f"there is no such file: {files[0]}"
        return Problem("cluster.kubeconfig", cluster.kubeconfig, message)
    if environment.get(_VARIABLE):
        named = ", ".join(map(str, files))
        message = f"no file that the environment variable KUBECONFIG names exists: {named}"
    else:
        message = f"there is no kubeconfig: KUBECONFIG is not set, and {files[0]} does not exist"
    suggestion = "set KUBECONFIG, or write the path as cluster.kubeconfig"
    if cluster.context_made_by:
        suggestion = f"`{cluster.context_made_by}`, once the stack has made the cluster"
    if cluster.context == _SIMULATED:
        suggestion = _SIMULATED_FIRST
    return Problem("cluster.context", cluster.context, message, suggestion=suggestion)


def _no_context(cluster: ClusterPlan, known: list[str], files: list[Path]) -> Problem:
    context, made_by = cluster.context, cluster.context_made_by
    shown = known[:_MANY_CONTEXTS]
    more = f" and {len(known) - len(shown)} more" if len(known) > len(shown) else ""
    return Problem(
        "cluster.context",
        context,
        f"there is no such context in {', '.join(map(str, files))}",
        allowed=", ".join(shown) + more or "none: the kubeconfig has no contexts",
        suggestion=f"`{made_by}`, once the stack has made the cluster"
        if made_by
        else _likeliest(context, known),
    )


def _likeliest(context: str, known: list[str]) -> str | None:
    return _SIMULATED_FIRST if context == _SIMULATED else nearest(context, known)


def _normalised(address: str) -> tuple[str, str, int | None, str]:
    parts = urlsplit(address if "://" in address else f"https://{address}")
    scheme = parts.scheme.lower()
    try:
        port = parts.port or _DEFAULT_PORTS.get(scheme)
    except ValueError:
        port = None
    return scheme, (parts.hostname or "").lower().rstrip("."), port, parts.path.rstrip("/")


def _shown(address: str) -> str:
    # Without user and password, which an address can carry.
    scheme, host, port, path = _normalised(address)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port}{path}" if port else f"{scheme}://{host}{path}"
