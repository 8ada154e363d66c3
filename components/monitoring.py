"""Prometheus and Grafana, with the monitors that Dynamo's charts and ours bring."""

from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.helm.v3 import Release

from components.chart import Chart, install


@dataclass(frozen=True, slots=True)
class MonitoringArgs:
    """Inputs of `Monitoring`."""

    namespace: str
    chart: Chart
    storage_class_name: str
    retention_days: int
    storage_gib: int
    timeout_seconds: int


class Monitoring(pulumi.ComponentResource):
    """The kube-prometheus-stack."""

    release: Release
    """Whatever makes a PodMonitor or ServiceMonitor depends on it."""

    def __init__(
        self,
        name: str,
        args: MonitoringArgs,
        *,
        depends_on: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        inputs = {"chart": args.chart.name, "version": args.chart.version, "namespace": args.namespace}
        super().__init__("dynamo-stack:components:Monitoring", name, inputs, opts)
        self.release = install(
            name,
            args.chart,
            release_name="kube-prometheus-stack",
            namespace=args.namespace,
            values=monitoring_values(args),
            timeout_seconds=args.timeout_seconds,
            parent=self,
            depends_on=depends_on,
        )
        self.register_outputs({})


def monitoring_values(args: MonitoringArgs) -> dict[str, Any]:
    """Return the chart's values (prometheus-community/helm-charts kube-prometheus-stack 88.5.3)."""
    claim = {
        "storageClassName": args.storage_class_name,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{args.storage_gib}Gi"}},
    }
    return {
        "prometheus": {
            "prometheusSpec": {
                # Dynamo's monitors carry no `release` label; without this none of them is read.
                "podMonitorSelectorNilUsesHelmValues": False,
                "serviceMonitorSelectorNilUsesHelmValues": False,
                "ruleSelectorNilUsesHelmValues": False,
                "retention": f"{args.retention_days}d",
                # Enough for one graph; a limit would end it in the middle of an incident.
                "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}},
                "storageSpec": {"volumeClaimTemplate": {"spec": claim}},
            }
        },
        # Empty, the chart generates one and keeps it at every upgrade: it stands in a Secret of the cluster
        # alone, never in a stack's state. Services are of type ClusterIP by default.
        "grafana": {"adminPassword": "", "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}}},
        # It has nobody to tell until somebody names a receiver.
        "alertmanager": {"enabled": False},
        # EKS runs these where no scrape reaches them: their alerts would fire for ever.
        "kubeEtcd": {"enabled": False},
        "kubeControllerManager": {"enabled": False},
        "kubeScheduler": {"enabled": False},
        "kubeProxy": {"enabled": False},
    }
