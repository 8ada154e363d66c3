"""The operators that make GPUs, compute domains and EFA usable, and Prometheus."""

from functools import partial

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.core.v1 import Namespace

from components.cluster_addons import VOLUME_CLASS
from components.gpu_nodes_ready import GpuNodesReady
from components.helm_chart import HelmChart
from components.options import WITH_CONTENT
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.infrastructure.operator_values import (
    DRA_DRIVER_VALUES,
    efa_device_plugin_values,
    gpu_operator_values,
    monitoring_values,
)
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
    plan: EksPlan, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> list[pulumi.Resource]:
    """Register Prometheus and Grafana where they are wanted; return what brings the kinds of monitors.

    Before the operators and the platform, whose charts make monitors where they find those kinds.
    """
    if not plan.cluster.monitoring:
        return []
    namespace = _namespace("monitoring-namespace", _MONITORING, provider, depends_on)
    made = HelmChart(
        "monitoring",
        PROMETHEUS_STACK,
        component="Monitoring",
        release_name="kube-prometheus-stack",
        namespace=_MONITORING,
        values=monitoring_values(storage_class_name=VOLUME_CLASS),
        timeout_seconds=_TIMEOUT_SECONDS,
        depends_on=[*depends_on, namespace],
        opts=pulumi.ResourceOptions(providers=[provider]),
    )
    return [made.release]


def deploy_operators(
    plan: EksPlan, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> list[pulumi.Resource]:
    """Register the operators that the plan's pools need; return what a graph depends on."""
    namespace = _namespace("operators-namespace", _NAMESPACE, provider, depends_on)
    before: list[pulumi.Resource] = [*depends_on, namespace]
    install = partial(
        HelmChart,
        namespace=_NAMESPACE,
        timeout_seconds=_TIMEOUT_SECONDS,
        opts=pulumi.ResourceOptions(providers=[provider]),
    )
    operator = install(
        "gpu-operator",
        GPU_OPERATOR,
        component="GpuOperator",
        release_name="gpu-operator",
        values=gpu_operator_values(monitored=plan.cluster.monitoring),
        depends_on=before,
    )
    made: list[pulumi.Resource] = [operator.release]
    if plan.uses_compute_domains:
        driver = install(
            "dra-driver",
            DRA_DRIVER,
            component="DraDriver",
            release_name="dra-driver-nvidia-gpu",
            values=DRA_DRIVER_VALUES,
            # From 26.7 on the GPU operator brings ComputeDomain's definition too, and writes its own again at
            # each upgrade (operator.upgradeCRD): with two owners it would go back and forth between versions.
            skip_crds=True,
            # It looks for the labels that the operator's feature discovery writes.
            depends_on=[*before, operator.release],
        )
        made.append(driver.release)
    if plan.efa_instance_types:
        plugin = install(
            "efa-device-plugin",
            EFA_DEVICE_PLUGIN,
            component="EfaDevicePlugin",
            release_name="aws-efa-k8s-device-plugin",
            values=efa_device_plugin_values(instance_types=plan.efa_instance_types),
            depends_on=before,
        )
        made.append(plugin.release)
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


def _namespace(
    logical_name: str, name: str, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> Namespace:
    return Namespace(
        logical_name,
        metadata={"name": name},
        opts=pulumi.ResourceOptions(
            provider=provider,
            depends_on=depends_on,
            custom_timeouts=pulumi.CustomTimeouts(delete=WITH_CONTENT),
        ),
    )
