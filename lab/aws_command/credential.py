"""The client certificate of the lab's kubeconfig."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

from lab.environment import CONTEXT
from lab.errors import LabError

FOREIGN_TOKEN = "k8s-aws-v1.of-another-cluster"  # noqa: S105 - opens nothing, which is what it is for


def certificate_of(kubeconfig: Path) -> tuple[str, str]:
    """Certificate and key of the lab's context, as PEM. Raises LabError where the lab has no cluster."""
    if not kubeconfig.is_file():
        raise LabError(f"there is no kubeconfig {kubeconfig}; is the lab up?")
    config = yaml.load(kubeconfig.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    context = _named(config, "contexts", "context", CONTEXT)
    user = _named(config, "users", "user", context["user"])
    return _pem(user, "client-certificate"), _pem(user, "client-key")


def _pem(user: dict[str, Any], key: str) -> str:
    if f"{key}-data" in user:
        return base64.b64decode(user[f"{key}-data"]).decode()
    if key in user:
        return Path(user[key]).read_text(encoding="utf-8")
    raise LabError(f"the lab's kubeconfig has no {key}")


def _named(config: dict[str, Any], section: str, key: str, name: str) -> dict[str, Any]:
    for entry in config.get(section) or []:
        if entry["name"] == name:
            return entry[key]
    raise LabError(f"the lab's kubeconfig has no {key} {name!r}")
