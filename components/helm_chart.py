"""A chart that a stack installs, as a component of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

from components.chart import Chart

# Helm's own timer runs first, so that its message, which names what is missing, is the one that is seen.
_ENGINE_MARGIN_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class HelmChartArgs:
    """Inputs of `HelmChart`."""

    component: str
    """Name in the component's type: what the chart is for."""
    chart: Chart
    release_name: str
    namespace: str
    """Exists already."""
    values: Mapping[str, Any]
    timeout_seconds: int
    skip_crds: bool = False
    """Another release has the chart's custom resource definitions."""
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of the component."""


class HelmChart(pulumi.ComponentResource):
    """One Helm release, because a chart's definitions and certificates need Helm's own install."""

    release: Release
    """What needs the chart depends on it."""

    def __init__(
        self,
        name: str,
        args: HelmChartArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        chart = args.chart
        inputs = {"chart": chart.name, "version": chart.version, "namespace": args.namespace}
        super().__init__(f"dynamo-stack:components:{args.component}", name, inputs, opts)
        waits = f"{args.timeout_seconds + _ENGINE_MARGIN_SECONDS}s"
        self.release = Release(
            name,
            # An auto-named release gives every object in it a new name, and none could be found again.
            name=args.release_name,
            namespace=args.namespace,
            chart=chart.name,
            version=chart.version,
            repository_opts=RepositoryOptsArgs(repo=chart.repository) if chart.repository else None,
            create_namespace=False,
            # A rollback would take the failed pods away, and with them the reason; and after a failed first
            # installation the definitions would be left without a release that owns them.
            atomic=False,
            skip_crds=args.skip_crds or None,
            timeout=args.timeout_seconds,
            values=dict(args.values),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                custom_timeouts=pulumi.CustomTimeouts(create=waits, update=waits, delete=waits),
            ),
        )
        self.register_outputs(dict(args.outputs))
