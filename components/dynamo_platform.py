"""The Dynamo platform: operator, webhooks, custom resource definitions and, where wanted, bundled servers."""

import pulumi
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

from components.platform_release import DynamoPlatformArgs, release_values

# Helm's own timer runs first, so that its message, which names what is missing, is the one that is seen.
_ENGINE_MARGIN_SECONDS = 60


class DynamoPlatform(pulumi.ComponentResource):
    """One Helm release, because the chart's definitions and certificates need Helm's own install."""

    release: Release
    """What every graph depends on: without the operator a graph is refused, or cannot be deleted."""

    def __init__(
        self,
        name: str,
        args: DynamoPlatformArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {"chart": args.chart, "version": args.version, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:DynamoPlatform", name, inputs, opts)
        waits = f"{args.timeout_seconds + _ENGINE_MARGIN_SECONDS}s"
        self.release = Release(
            name,
            # An auto-named release gives every object in it a new name, and none could be found again.
            name=args.release_name,
            namespace=args.namespace,
            chart=args.chart,
            version=args.version,
            repository_opts=RepositoryOptsArgs(repo=args.repository),
            create_namespace=False,
            # A rollback would take the failed pods away, and with them the reason; and after a failed first
            # installation the definitions would be left without a release that owns them.
            atomic=False,
            timeout=args.timeout_seconds,
            values=release_values(args),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=depends_on,
                custom_timeouts=pulumi.CustomTimeouts(create=waits, update=waits, delete=waits),
            ),
        )
        self.register_outputs({"releaseName": args.release_name})
