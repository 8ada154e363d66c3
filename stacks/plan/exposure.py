"""How the service is reached and watched from outside its namespace."""

from collections.abc import Iterator, Mapping

from recipes.model import Recipe
from stacks.errors import Problem
from stacks.plan.layers.layering import owned_layers
from stacks.settings.cluster import EksClusterSettings
from stacks.settings.exposure import IngressExposure
from stacks.settings.stack import StackSettings


def exposure_problems(settings: StackSettings) -> Iterator[Problem]:
    """Yield why no controller would answer an Ingress.

    The stack makes the cluster and installs no Ingress controller. EKS answers a Service of type LoadBalancer
    by itself (https://docs.aws.amazon.com/eks/latest/userguide/network-load-balancing.html), an Ingress never
    (https://docs.aws.amazon.com/eks/latest/userguide/alb-ingress.html).
    """
    exposure = settings.serving.exposure
    if not isinstance(exposure, IngressExposure) or not {"infrastructure", "serving"} <= set(
        owned_layers(settings)
    ):
        return
    yield Problem(
        "serving.exposure.kind",
        exposure.kind,
        "the cluster that this stack makes has no Ingress controller, so the Ingress would wait for its "
        "address for ten minutes and fail",
        allowed="internalLoadBalancer, or no exposure; with a stack for each layer (docs/layers.md) install "
        "a controller, such as the AWS Load Balancer Controller, before the stack that serves",
        suggestion="kind: internalLoadBalancer",
    )


def pod_monitor_labels(settings: StackSettings) -> Mapping[str, str] | None:
    """Return the labels of the PodMonitor; None where there is none.

    A Prometheus that comes with the cluster reads every monitor, whatever its labels.
    """
    monitor, cluster = settings.serving.pod_monitor, settings.cluster
    if monitor is not None:
        return dict(monitor.labels)
    return {} if isinstance(cluster, EksClusterSettings) and cluster.monitoring else None


def has_alerts(settings: StackSettings, recipe: Recipe) -> bool:
    """Whether Prometheus and Grafana come with the cluster; they watch graphs of Dynamo's alone."""
    cluster = settings.cluster
    return isinstance(cluster, EksClusterSettings) and cluster.monitoring and recipe.engine_server is None
