"""Which cluster a kubeconfig points at, and the seal: this plugin talks to this machine alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from lab.kubeconfig import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTIONS = {"clusters": "cluster", "users": "user", "contexts": "context"}


class KubeconfigError(Exception):
    """The kubeconfig cannot be read or names nothing usable; the text is the vendor's reason."""


class NotLoopbackError(Exception):
    """The kubeconfig points at a cluster that is not on this machine."""


@dataclass(frozen=True)
class Target:
    """One context of a kubeconfig, flattened to a kubeconfig of its own."""

    config: dict[str, Any]
    cluster: dict[str, Any]
    user: dict[str, Any]
    namespace: str | None


def load(kubeconfig: str | None, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The kubeconfig: contents, a path, or else the one file that KUBECONFIG names, as always in a lab.

    Raises KubeconfigError.
    """
    given = (kubeconfig or "").strip()
    if "\n" not in given:
        path = Path(given or environment.get("KUBECONFIG", ""))
        if path.is_file():
            return _parse(path.read_text(), str(_unable(f"{path}: ")))
        if not given:
            raise _unable(f"no configuration has been provided: {path}")
    return _parse(given, "failed to parse kubeconfig data in `kubernetes:config:kubeconfig`- ")


def target(config: dict[str, Any], context: str | None = None) -> Target:
    """The context's cluster and user alone, with that context current. Raises KubeconfigError."""
    name = context or config.get("current-context") or ""
    chosen = _named(config, "contexts", name)
    cluster_name, user_name = chosen.get("cluster") or "", chosen.get("user") or ""
    entry = _named(config, "clusters", cluster_name)
    user = _named(config, "users", user_name) if user_name else {}
    flattened = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": cluster_name, "cluster": entry}],
        "users": [{"name": user_name, "user": user}],
        "contexts": [{"name": name, "context": chosen}],
    }
    return Target(flattened, entry, user, chosen.get("namespace"))


def require_loopback(chosen: Target) -> None:
    """Raises NotLoopbackError unless the server is on this machine and no proxy stands between."""
    context, server = chosen.config["current-context"], chosen.cluster.get("server") or ""
    if chosen.cluster.get("proxy-url"):
        raise NotLoopbackError(
            f"context {context!r} goes through a proxy; this stand-in talks to this machine only"
        )
    if not is_loopback(server):
        raise NotLoopbackError(
            f"context {context!r} points at {server}, which is not this machine; "
            "this stand-in never talks to any other"
        )


def _unable(reason: str) -> KubeconfigError:
    return KubeconfigError(
        f"unable to load Kubernetes client configuration from kubeconfig file. Make sure you have: {reason}"
    )


def _parse(text: str, prefix: str) -> dict[str, Any]:
    try:
        config = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise KubeconfigError(f"{prefix}{error}") from error
    if not isinstance(config, dict):
        raise KubeconfigError(f"{prefix}not a kubeconfig, nor a file of that name")
    return config


def _named(config: dict[str, Any], section: str, name: str) -> dict[str, Any]:
    key = _SECTIONS[section]
    found = (entry.get(key) or {} for entry in config.get(section) or [] if entry.get("name") == name)
    entry = next(found, None)
    if entry is None:
        raise _unable(f'{key} "{name}" does not exist')
    return entry
