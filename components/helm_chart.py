"""A chart that a stack installs, as a component of its own."""

import pulumi
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

from components.chart_values import HelmChartArgs
from components.options import Resources, child

# Helm's own timer runs first, so that its message, which names what is missing, is the one that is seen.
_ENGINE_MARGIN_SECONDS = 60


class HelmChart(pulumi.ComponentResource):
    """One Helm release, because a chart's definitions and certificates need Helm's own install."""

    release: Release
    """What needs the chart depends on it."""

    def __init__(
        self, name: str, args: HelmChartArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        chart = args.chart
        inputs = {"chart": chart.name, "version": chart.version, "namespace": args.namespace}
        super().__init__(f"dynamo-stack:components:{args.component}", name, inputs, opts)
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
            opts=child(self, depends_on, timeout=args.timeout_seconds + _ENGINE_MARGIN_SECONDS),
        )
        self.register_outputs(dict(args.outputs))
