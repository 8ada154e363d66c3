"""A chart that a stack installs, as a component of its own."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

from components.options import Resources, child
from stacks.plan.versions import Chart

# Helm's own timer runs first, so that its message, which names what is missing, is the one that is seen.
_ENGINE_MARGIN_SECONDS = 60


class HelmChart(pulumi.ComponentResource):
    """One Helm release, because a chart's definitions and certificates need Helm's own install.

    Args:
        component: name in the component's type: what the chart is for.
        namespace: exists already.
        skip_crds: another release has the chart's custom resource definitions.
        outputs: what the component puts out.

    """

    release: Release
    """What needs the chart depends on it."""

    def __init__(
        self,
        name: str,
        chart: Chart,
        *,
        component: str,
        release_name: str,
        namespace: str,
        values: Mapping[str, Any],
        timeout_seconds: int,
        skip_crds: bool = False,
        outputs: Mapping[str, Any] | None = None,
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"chart": chart.name, "version": chart.version, "namespace": namespace}
        super().__init__(f"dynamo-stack:components:{component}", name, inputs, opts)
        self.release = Release(
            name,
            # An auto-named release gives every object in it a new name, and none could be found again.
            name=release_name,
            namespace=namespace,
            chart=chart.name,
            version=chart.version,
            repository_opts=RepositoryOptsArgs(repo=chart.repository) if chart.repository else None,
            create_namespace=False,
            # A rollback would take the failed pods away, and with them the reason; and after a failed first
            # installation the definitions would be left without a release that owns them.
            atomic=False,
            skip_crds=skip_crds or None,
            timeout=timeout_seconds,
            values=dict(values),
            opts=child(self, depends_on, timeout=timeout_seconds + _ENGINE_MARGIN_SECONDS),
        )
        self.register_outputs(dict(outputs or {}))
