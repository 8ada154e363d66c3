"""The lab's seal on cluster access: only an endpoint on this machine's loopback interface is ever used."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import yaml

from lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path


def refuse_foreign_endpoint(kubeconfig: Path, context: str) -> None:
    """Raises LabError unless `context` exists in the file and leads to a loopback address."""
    config = yaml.safe_load(kubeconfig.read_text()) or {}
    contexts = {entry["name"]: entry["context"] for entry in config.get("contexts") or []}
    clusters = {entry["name"]: entry["cluster"] for entry in config.get("clusters") or []}
    server = clusters.get(contexts.get(context, {}).get("cluster"), {}).get("server")
    if server is None:
        raise LabError(f"{kubeconfig} has no context {context!r}; the lab uses no other")
    if not is_loopback(server):
        raise LabError(f"context {context!r} leads to {server}, not to this machine; the lab refuses it")


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine itself; a name other than localhost is not resolved."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
