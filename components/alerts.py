"""What tells the cluster's Prometheus when to speak, and Grafana what to show."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import ConfigMap

from components.options import Resources, child

_TIMEOUT = "120s"
# Grafana's sidecar of the kube-prometheus-stack reads ConfigMaps with it in every namespace
# (prometheus-community/helm-charts kube-prometheus-stack 88.5.3, grafana.sidecar.dashboards).
_DASHBOARD_LABEL = {"grafana_dashboard": "1"}


@dataclass(frozen=True, slots=True)
class AlertsArgs:
    """Inputs of `Alerts`."""

    graph_name: str
    namespace: str
    groups: Sequence[Mapping[str, Any]]
    """Groups of the PrometheusRule."""
    dashboard: Mapping[str, Any]
    """The dashboard as Grafana's JSON."""


class Alerts(pulumi.ComponentResource):
    """A PrometheusRule and a dashboard that asks the same questions."""

    def __init__(
        self, name: str, args: AlertsArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        inputs = {"name": args.graph_name, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:Alerts", name, inputs, opts)
        options = child(self, depends_on, timeout=_TIMEOUT)
        CustomResource(
            name,
            api_version="monitoring.coreos.com/v1",
            kind="PrometheusRule",
            metadata={"name": args.graph_name, "namespace": args.namespace},
            spec={"groups": list(args.groups)},
            opts=options,
        )
        title = f"{args.graph_name}-dashboard"
        ConfigMap(
            f"{name}-dashboard",
            metadata={"name": title, "namespace": args.namespace, "labels": _DASHBOARD_LABEL},
            data={f"{title}.json": json.dumps(args.dashboard, indent=1)},
            opts=options,
        )
        self.register_outputs({"name": args.graph_name})
