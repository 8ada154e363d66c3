"""Which API version of graphs a lab serves and stores: one for its whole life, chosen when it is made."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.directory import LabDirectory

VARIABLE = "LAB_GRAPH_API"
DEFAULT = "v1beta1"
VERSIONS = ("v1alpha1", DEFAULT)


def settle(lab: LabDirectory, *, has_cluster: bool, outside: Mapping[str, str] | None = None) -> str:
    """The version that LAB_GRAPH_API asks for, else the one that the lab remembers; remembered from now on.

    Raises LabError for an unknown version, and for another one than that of a cluster that exists.
    """
    given = (os.environ if outside is None else outside).get(VARIABLE, "")
    known = remembered(lab)
    if given and given not in VERSIONS:
        raise LabError(f"{VARIABLE}={given!r} is unknown; a lab serves {' or '.join(VERSIONS)}")
    chosen = given or known
    if has_cluster and chosen != known:
        raise LabError(
            f"{VARIABLE}={chosen} is asked for, but the cluster in {lab.root} stores graphs as {known}; "
            "`make lab-down` first, or unset the variable"
        )
    lab.graph_api.write_text(f"{chosen}\n", encoding="utf-8")
    return chosen


def remembered(lab: LabDirectory) -> str:
    """The version that this lab was made with; the default where nothing was ever chosen."""
    if not lab.graph_api.exists():
        return DEFAULT
    return lab.graph_api.read_text(encoding="utf-8").strip()
