"""Prometheus and Grafana, with the monitors that Dynamo's charts and ours bring."""

from components.chart import Chart
from components.helm_chart import HelmChartArgs


def monitoring(
    namespace: str,
    chart: Chart,
    timeout_seconds: int,
    *,
    storage_class_name: str,
    retention_days: int,
    storage_gib: int,
) -> HelmChartArgs:
    """Return the kube-prometheus-stack: whatever makes a PodMonitor or ServiceMonitor depends on it."""
    claim = {
        "storageClassName": storage_class_name,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{storage_gib}Gi"}},
    }
    # prometheus-community/helm-charts kube-prometheus-stack 88.5.3.
    values = {
        "prometheus": {
            "prometheusSpec": {
                # Dynamo's monitors carry no `release` label; without this none of them is read.
                "podMonitorSelectorNilUsesHelmValues": False,
                "serviceMonitorSelectorNilUsesHelmValues": False,
                "ruleSelectorNilUsesHelmValues": False,
                "retention": f"{retention_days}d",
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
    return HelmChartArgs(
        component="Monitoring",
        chart=chart,
        release_name="kube-prometheus-stack",
        namespace=namespace,
        values=values,
        timeout_seconds=timeout_seconds,
    )
