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
from stacks.errors import NOTHING_DONE, Problem
from stacks.settings.cluster import ClusterSettings
from stacks.updates.nested_values import mapping_in, mappings_in
from stacks.updates.running import Running

_DEFAULT_PORTS = {"https": ":443", "http": ":80"}
_VARIABLE = "KUBECONFIG"
_SIMULATED = "dynamo-lab"
_SIMULATED_FIRST = (
    "`make lab-up`, which starts this simulated cluster, then `make shell`, which alone sees it"
)


def cluster_problems(cluster: ClusterSettings, *, has_settings: bool = True) -> tuple[Problem, ...]:
    """Return why the kubeconfig does not lead to the cluster that was meant; nothing where it does.

    Args:
        cluster: the context, and the cluster that it has to lead to.
        has_settings: whether a stack file names them, which can name the kubeconfig too.

    """
    files = _files(cluster)
    documents = {file: _document(file) for file in files if file.is_file()}
    if not documents:
        return (_no_file(cluster, files, has_settings=has_settings),)
    for file, document in documents.items():
        if document is None:
            key = "cluster.kubeconfig" if cluster.kubeconfig else "cluster.context"
            return (Problem(key, cluster.kubeconfig, f"{file} cannot be read as a kubeconfig"),)
    contexts, clusters = (_named(documents.values(), section) for section in ("contexts", "clusters"))
    if cluster.context not in contexts:
        return (_no_context(cluster, sorted(contexts), documents),)
    name = str(mapping_in(contexts[cluster.context], "context").get("cluster") or "")
    server = str(mapping_in(clusters.get(name), "cluster").get("server") or "")
    where = _address(server)
    if not (server and where):
        found = "a server that is no address" if server else "no server"
        message = f"this context's cluster {name!r} has {found} in the kubeconfig"
        return (Problem("cluster.context", cluster.context, message),)
    if cluster.server is None or where == _address(cluster.server):
        return ()
    message = f"context {cluster.context} leads to another cluster, {where}; {NOTHING_DONE}"
    suggestion = "another context or kubeconfig; or this server, if the cluster's address has changed"
    return (Problem("cluster.server", cluster.server, message, suggestion=suggestion),)


def cluster_of_state(cluster: ClusterSettings, file: str | None, running: Running) -> ClusterReader:
    """Return what reads the cluster before anything is registered; of an EKS cluster the state knows how."""
    return ClusterReader(cluster.context, file, running.kubeconfig if cluster.kind == "eks" else None)


def _files(cluster: ClusterSettings) -> list[Path]:
    # The order of client-go's loading rules, which the provider follows too.
    listed = [cluster.kubeconfig] if cluster.kubeconfig else os.environ.get(_VARIABLE, "").split(os.pathsep)
    return [Path(name).expanduser() for name in [each for each in listed if each] or ["~/.kube/config"]]


def _document(file: Path) -> Mapping[str, Any] | None:
    """Return the kubeconfig in the file; None where it is none."""
    try:
        document: object = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        # The parser's own words would quote the line, which may hold a token.
        return None
    return mapping_in(cast("object", document)) if document is None or isinstance(document, Mapping) else None


def _named(documents: Iterable[Mapping[str, Any] | None], section: str) -> dict[str, Mapping[str, Any]]:
    """Return the entries of a section by their names; of two with one name the first file's counts."""
    entries = [entry for document in documents for entry in mappings_in(document, section)]
    return {str(entry["name"]): entry for entry in reversed(entries) if entry.get("name")}


def _no_file(cluster: ClusterSettings, files: list[Path], *, has_settings: bool) -> Problem:
    if cluster.kubeconfig:
        message = f"there is no such file: {files[0]}"
        return Problem("cluster.kubeconfig", cluster.kubeconfig, message)
    if os.environ.get(_VARIABLE):
        named = ", ".join(map(str, files))
        message = f"no file that the environment variable KUBECONFIG names exists: {named}"
    else:
        message = f"there is no kubeconfig: KUBECONFIG is not set, and {files[0]} does not exist"
    otherwise = "set KUBECONFIG" + (", or write the path as cluster.kubeconfig" if has_settings else "")
    suggestion = _who_writes_it(cluster) or otherwise
    return Problem("cluster.context", cluster.context, message, suggestion=suggestion)


def _no_context(cluster: ClusterSettings, known: list[str], files: Iterable[Path]) -> Problem:
    context = cluster.context
    return Problem(
        "cluster.context",
        context,
        f"there is no such context in {', '.join(map(str, files))}",
        allowed=", ".join(known) or "none: the kubeconfig has no contexts",
        suggestion=_who_writes_it(cluster) or nearest(context, known),
    )


def _who_writes_it(cluster: ClusterSettings) -> str | None:
    """Return the command that writes the context into a kubeconfig; None where a person does."""
    if cluster.context == _SIMULATED:
        return _SIMULATED_FIRST
    made_by = cluster.context_made_by
    return f"`{made_by}`, once the stack has made the cluster" if made_by else None


def _address(address: str) -> str | None:
    """Return an address without what does not matter: case, a default port, a slash at the end, a user."""
    try:
        parts = urlsplit(address if "://" in address else f"https://{address}")
    except ValueError:
        # Such as half of an IPv6 address.
        return None
    place = parts.netloc.rpartition("@")[2].lower()
    place = place.removesuffix(_DEFAULT_PORTS.get(parts.scheme, ""))
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"
