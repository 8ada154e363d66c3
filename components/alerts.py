"""What tells the cluster's Prometheus when to speak, and Grafana what to show."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap

from components.options import Resources, child

_TIMEOUT = "120s"
# Grafana's sidecar of the kube-prometheus-stack reads ConfigMaps with it in every namespace
# (prometheus-community/helm-charts kube-prometheus-stack 88.5.3, grafana.sidecar.dashboards).
_DASHBOARD_LABEL = {"grafana_dashboard": "1"}


class Alerts(pulumi.ComponentResource):
    """A PrometheusRule and a dashboard that asks the same questions.

    Args:
        groups: those of the PrometheusRule.
        dashboard: as Grafana's JSON.

    """

    def __init__(
        self,
        name: str,
        *,
        graph_name: str,
        namespace: str,
        groups: Sequence[Mapping[str, Any]],
        dashboard: Mapping[str, Any],
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"name": graph_name, "namespace": namespace}
        super().__init__("dynamo-stack:components:Alerts", name, inputs, opts)
        options = child(self, depends_on, timeout=_TIMEOUT)
        CustomResource(
            name,
            api_version="monitoring.coreos.com/v1",
            kind="PrometheusRule",
            metadata=inputs,
            spec={"groups": list(groups)},
            opts=options,
        )
        title = f"{graph_name}-dashboard"
        ConfigMap(
            f"{name}-dashboard",
            metadata={"name": title, "namespace": namespace, "labels": _DASHBOARD_LABEL},
            data={f"{title}.json": json.dumps(dashboard, indent=1)},
            opts=options,
        )
        self.register_outputs({"name": graph_name})
