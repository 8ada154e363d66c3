"""The operators that make GPUs, compute domains and EFA usable, and Prometheus."""

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.core.v1 import Namespace

from components import deletion
from components.chart_values import HelmChartArgs, dra_driver, efa_device_plugin, gpu_operator, monitoring
from components.gpu_nodes_ready import GpuNodesReady
from components.helm_chart import HelmChart
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.timeouts import NODES_WAIT_SECONDS
from stacks.plan.versions import (
    DRA_DRIVER,
    EFA_DEVICE_PLUGIN,
    GPU_OPERATOR,
    PAUSE_IMAGE,
    PROMETHEUS_STACK,
)
from stacks.settings.cluster import CapacityBlock, reservation_id

_NAMESPACE = "gpu-operators"
_MONITORING = "monitoring"
_TIMEOUT_SECONDS = 900
"""The operator waits for a driver's daemon on each node, which needs its image there first."""


def deploy_monitoring(
    plan: EksPlan, provider: kubernetes.Provider, depends_on: list[pulumi.Resource], storage_class_name: str
) -> list[pulumi.Resource]:
    """Register Prometheus and Grafana where they are wanted; return what brings the kinds of monitors.

    Before the operators and the platform, whose charts make monitors where they find those kinds.
    """
    if not plan.cluster.monitoring:
        return []
    namespace = _namespace("monitoring-namespace", _MONITORING, provider, depends_on)
    chart = monitoring(_MONITORING, PROMETHEUS_STACK, _TIMEOUT_SECONDS, storage_class_name=storage_class_name)
    return [_install("monitoring", chart, provider, [*depends_on, namespace])]


def deploy_operators(
    plan: EksPlan, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> list[pulumi.Resource]:
    """Register the operators that the plan's pools need; return what a graph depends on."""
    namespace = _namespace("operators-namespace", _NAMESPACE, provider, depends_on)
    before: list[pulumi.Resource] = [*depends_on, namespace]
    operator = gpu_operator(_NAMESPACE, GPU_OPERATOR, _TIMEOUT_SECONDS, monitored=plan.cluster.monitoring)
    made = [_install("gpu-operator", operator, provider, before)]
    if plan.uses_compute_domains:
        driver = dra_driver(_NAMESPACE, DRA_DRIVER, _TIMEOUT_SECONDS)
        # It looks for the labels that the operator's feature discovery writes.
        made.append(_install("dra-driver", driver, provider, [*before, made[0]]))
    if plan.efa_instance_types:
        plugin = efa_device_plugin(
            _NAMESPACE, EFA_DEVICE_PLUGIN, _TIMEOUT_SECONDS, instance_types=plan.efa_instance_types
        )
        made.append(_install("efa-device-plugin", plugin, provider, before))
    return made


def wait_for_gpu_nodes(
    plan: EksPlan, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> list[pulumi.Resource]:
    """Register a wait for the nodes of each pool whose nodes are launched; return what a graph depends on."""
    return [
        GpuNodesReady(
            f"{nodes.pool.name}-nodes-ready",
            pool=nodes.pool.name,
            namespace=_NAMESPACE,
            node_group=nodes.name,
            nodes=nodes.pool.nodes,
            gpus=nodes.pool.instance_type.gpus,
            bought=reservation_id(nodes.purchase) or nodes.purchase.kind,
            image=PAUSE_IMAGE,
            timeout_seconds=NODES_WAIT_SECONDS,
            depends_on=depends_on,
            opts=pulumi.ResourceOptions(providers=[provider]),
        ).deployment
        for nodes in plan.gpu_nodes
        if not isinstance(nodes.purchase, CapacityBlock) or nodes.purchase.phase == "active"
    ]


def _install(
    name: str, chart: HelmChartArgs, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> pulumi.Resource:
    options = pulumi.ResourceOptions(providers=[provider])
    return HelmChart(name, chart, depends_on=depends_on, opts=options).release


def _namespace(
    logical_name: str, name: str, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> Namespace:
    return Namespace(
        logical_name,
        metadata={"name": name},
        opts=pulumi.ResourceOptions(
            provider=provider,
            depends_on=depends_on,
            custom_timeouts=pulumi.CustomTimeouts(delete=deletion.WITH_CONTENT),
        ),
    )
