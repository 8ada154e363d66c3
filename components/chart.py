"""A Helm release with the options that every chart here is installed with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

# Helm's own timer runs first, so that its message, which names what is missing, is the one that is seen.
_ENGINE_MARGIN_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, its version and where it comes from."""

    name: str
    version: str
    repository: str | None
    """None for a chart whose name is an oci:// address."""


def install(
    logical_name: str,
    chart: Chart,
    *,
    release_name: str,
    namespace: str,
    values: Mapping[str, Any],
    timeout_seconds: int,
    parent: pulumi.Resource,
    depends_on: Sequence[pulumi.Resource],
    skip_crds: bool = False,
) -> Release:
    """Make the release; its namespace exists already.

    With `skip_crds` another release has the chart's custom resource definitions.
    """
    waits = f"{timeout_seconds + _ENGINE_MARGIN_SECONDS}s"
    return Release(
        logical_name,
        # An auto-named release gives every object in it a new name, and none could be found again.
        name=release_name,
        namespace=namespace,
        chart=chart.name,
        version=chart.version,
        repository_opts=RepositoryOptsArgs(repo=chart.repository) if chart.repository else None,
        create_namespace=False,
        # A rollback would take the failed pods away, and with them the reason.
        atomic=False,
        skip_crds=skip_crds or None,
        timeout=timeout_seconds,
        values=dict(values),
        opts=pulumi.ResourceOptions(
            parent=parent,
            depends_on=list(depends_on),
            custom_timeouts=pulumi.CustomTimeouts(create=waits, update=waits, delete=waits),
        ),
    )
