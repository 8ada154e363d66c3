"""From a kubeconfig file and a context name to a connection that leads to this machine and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import kopf
import yaml

from lab.errors import LabError
from lab.kubeconfig import refuse_foreign_endpoint

if TYPE_CHECKING:
    from pathlib import Path


def connect(kubeconfig: Path, context: str) -> kopf.ConnectionInfo:
    """The connection behind `context`.

    Raises LabError when the file or the context is missing, or when it leads off this machine.
    """
    if not kubeconfig.is_file():
        raise LabError(f"there is no kubeconfig {kubeconfig}; is the lab up?")
    refuse_foreign_endpoint(kubeconfig, context)
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    chosen = _named(config["contexts"], context, "context")
    cluster = _named(config["clusters"], chosen["cluster"], "cluster")
    user = _named(config["users"], chosen["user"], "user")
    return kopf.ConnectionInfo(
        server=cluster["server"],
        ca_path=cluster.get("certificate-authority"),
        ca_data=cluster.get("certificate-authority-data"),
        certificate_path=user.get("client-certificate"),
        certificate_data=user.get("client-certificate-data"),
        private_key_path=user.get("client-key"),
        private_key_data=user.get("client-key-data"),
        token=user.get("token"),
    )


def _named(entries: list[dict[str, Any]], name: str, kind: str) -> dict[str, Any]:
    for entry in entries:
        if entry["name"] == name:
            return entry[kind]
    raise LabError(f"the kubeconfig has no {kind} {name!r}")
