"""How the service is reached and watched from outside its namespace."""

from collections.abc import Mapping

from stacks.resolved import Exposure
from stacks.settings.cluster import EksClusterSettings
from stacks.settings.stack import IngressExposure, InternalLoadBalancer, StackSettings


def resolved_exposure(exposure: InternalLoadBalancer | IngressExposure | None) -> Exposure | None:
    """Return how clients outside the cluster reach the frontend; None: not at all."""
    match exposure:
        case None:
            return None
        case InternalLoadBalancer():
            return Exposure("internalLoadBalancer", None, None, None)
        case IngressExposure():
            return Exposure("ingress", exposure.class_name, exposure.host, exposure.tls_secret_name)


def pod_monitor_labels(settings: StackSettings) -> Mapping[str, str] | None:
    """Return the labels of the PodMonitor; None where there is none.

    A Prometheus that comes with the cluster reads every monitor, whatever its labels.
    """
    typed, cluster = settings.serving.pod_monitor, settings.cluster
    if typed is not None:
        return dict(typed.labels)
    return {} if isinstance(cluster, EksClusterSettings) and cluster.monitoring else None
