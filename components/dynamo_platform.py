"""The Dynamo platform: operator, webhooks, custom resource definitions and, where wanted, bundled servers."""

from components.chart import Chart
from components.helm_chart import HelmChartArgs
from components.platform_release import DynamoPlatformArgs, release_values


def dynamo_platform(args: DynamoPlatformArgs) -> HelmChartArgs:
    """Return what every graph depends on: without the operator one is refused, or cannot be deleted."""
    return HelmChartArgs(
        component="DynamoPlatform",
        chart=Chart(args.chart, args.version, args.repository),
        release_name=args.release_name,
        namespace=args.namespace,
        values=release_values(args),
        timeout_seconds=args.timeout_seconds,
        outputs={"releaseName": args.release_name},
    )
