"""Whether the lab runs the vendor's Kubernetes plugin, and where a person has put it."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE, FILE_VARIABLE = "PLUGINS", "VENDOR_KUBERNETES_PLUGIN"
_VENDOR = "vendor"


def is_vendors(variables: Mapping[str, str] = os.environ) -> bool:
    """Whether PLUGINS asks for it. Raises LabError for a word that it cannot be."""
    chosen = variables.get(VARIABLE, "")
    if chosen not in ("", _VENDOR):
        raise LabError(f"{VARIABLE}={chosen!r} is unknown; {VARIABLE}={_VENDOR}, or unset for the stand-ins")
    return chosen == _VENDOR


def plugin_file(variables: Mapping[str, str] = os.environ) -> Path:
    """The plugin's executable, of the version that the SDK asks for. Raises LabError where there is none."""
    wanted = version("pulumi-kubernetes")
    folder = Path(f"~/.pulumi/plugins/resource-kubernetes-v{wanted}").expanduser()
    file = Path(variables.get(FILE_VARIABLE) or folder / "pulumi-resource-kubernetes").absolute()
    if not os.access(file, os.X_OK):
        raise LabError(
            f"{VARIABLE}={_VENDOR}: there is no plugin {file}\n"
            f"  try: `pulumi plugin install resource kubernetes {wanted}` outside the lab; or let "
            f"{FILE_VARIABLE} name the executable"
        )
    return file
