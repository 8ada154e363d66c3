"""Which cluster a kubeconfig points at, and the seal: this plugin talks to this machine alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.kubeconfig import is_loopback

_PATH_KEYS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")


class KubeconfigError(Exception):
    """The kubeconfig cannot be read or names nothing usable; the text is the vendor's reason."""


class NotLoopbackError(Exception):
    """The kubeconfig points at a cluster that is not on this machine."""


@dataclass(frozen=True)
class Target:
    """One context of a kubeconfig, flattened to a kubeconfig of its own."""

    config: dict[str, Any]
    namespace: str | None
    server: str


def load(kubeconfig: str | None, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """The merged kubeconfig: contents or a path, else the files of KUBECONFIG, else ~/.kube/config.

    Raises KubeconfigError.
    """
    given = dict(os.environ) if environment is None else environment
    if kubeconfig and (text := kubeconfig.strip()):
        path = Path(text).expanduser() if "\n" not in text else None
        if path is not None and path.is_file():
            return _read(path)
        return _parse(text, "failed to parse kubeconfig data in `kubernetes:config:kubeconfig`- ")
    home = Path(given.get("HOME", "~")).expanduser()
    names = [name for name in given.get("KUBECONFIG", "").split(os.pathsep) if name]
    paths = [Path(name) for name in names] or [home / ".kube" / "config"]
    existing = [path for path in paths if path.is_file()]
    if not existing:
        raise KubeconfigError(_unable("no configuration has been provided: " + ", ".join(map(str, paths))))
    merged = _read(existing[0])
    for path in existing[1:]:
        _merge(merged, _read(path))
    return merged


def target(config: dict[str, Any], context: str | None = None, cluster: str | None = None) -> Target:
    """The context's cluster and user alone, with that context current. Raises KubeconfigError."""
    name = context or config.get("current-context") or ""
    chosen = _named(config, "contexts", "context", name)
    if chosen is None:
        raise KubeconfigError(_unable(f'context "{name}" does not exist'))
    cluster_name = cluster or chosen.get("cluster") or ""
    entry = _named(config, "clusters", "cluster", cluster_name)
    if entry is None:
        raise KubeconfigError(_unable(f'cluster "{cluster_name}" does not exist'))
    user_name = chosen.get("user") or ""
    flattened = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": cluster_name, "cluster": entry}],
        "users": [{"name": user_name, "user": _named(config, "users", "user", user_name) or {}}],
        "contexts": [{"name": name, "context": {**chosen, "cluster": cluster_name}}],
    }
    return Target(flattened, chosen.get("namespace"), str(entry.get("server") or ""))


def require_loopback(chosen: Target) -> None:
    """Raises NotLoopbackError unless the server is on this machine and no proxy stands between."""
    entry = chosen.config["clusters"][0]["cluster"]
    context = chosen.config["current-context"]
    if entry.get("proxy-url"):
        raise NotLoopbackError(
            f"context {context!r} goes through a proxy; this stand-in talks to this machine only"
        )
    if not is_loopback(chosen.server):
        raise NotLoopbackError(
            f"context {context!r} points at {chosen.server}, which is not this machine; "
            "this stand-in never talks to any other"
        )


def active_cluster(kubeconfig: str | None, context: str | None, cluster: str | None) -> dict[str, Any] | None:
    """The cluster entry that provider inputs select, None when they cannot be read."""
    try:
        return target(load(kubeconfig), context, cluster).config["clusters"][0]["cluster"]
    except KubeconfigError:
        return None


def _unable(reason: str) -> str:
    return (
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


def _read(path: Path) -> dict[str, Any]:
    config = _parse(path.read_text(), _unable(f"{path}: "))
    for section, key in (("clusters", "cluster"), ("users", "user")):
        for entry in config.get(section) or []:
            body = entry.get(key) or {}
            # A path in a kubeconfig is relative to that file, wherever the flattened copy lies.
            body.update({name: str(path.parent / body[name]) for name in _PATH_KEYS if body.get(name)})
    return config


def _merge(merged: dict[str, Any], added: dict[str, Any]) -> None:
    for section in ("clusters", "users", "contexts"):
        known = {entry.get("name") for entry in merged.get(section) or []}
        merged.setdefault(section, [])
        merged[section] = [
            *merged[section],
            *(e for e in added.get(section) or [] if e.get("name") not in known),
        ]
    if not merged.get("current-context"):
        merged["current-context"] = added.get("current-context")


def _named(config: dict[str, Any], section: str, key: str, name: str) -> dict[str, Any] | None:
    for entry in config.get(section) or []:
        if entry.get("name") == name:
            return entry.get(key) or {}
    return None
