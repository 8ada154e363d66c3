"""The operators that make GPUs, compute domains and EFA usable, and Prometheus."""

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.core.v1 import Namespace

from components import delete_timeouts
from components.chart import Chart
from components.dra_driver import DraDriver, DraDriverArgs
from components.efa_device_plugin import EfaDevicePlugin, EfaDevicePluginArgs
from components.gpu_operator import GpuOperator, GpuOperatorArgs
from stacks.infrastructure.plan import EksPlan
from stacks.versions import DRA_DRIVER, EFA_DEVICE_PLUGIN, GPU_OPERATOR, PinnedChart

_NAMESPACE = "gpu-operators"
_TIMEOUT_SECONDS = 900
"""The operator waits for a driver's daemon on each node, which needs its image there first."""


def deploy_operators(
    plan: EksPlan, provider: kubernetes.Provider, depends_on: list[pulumi.Resource]
) -> list[pulumi.Resource]:
    """Register the operators that the plan's pools need; return what a graph depends on."""
    options = pulumi.ResourceOptions(providers=[provider])
    namespace = Namespace(
        "operators-namespace",
        metadata={"name": _NAMESPACE},
        opts=pulumi.ResourceOptions(
            provider=provider,
            depends_on=depends_on,
            custom_timeouts=pulumi.CustomTimeouts(delete=delete_timeouts.WITH_CONTENT),
        ),
    )
    before: list[pulumi.Resource] = [*depends_on, namespace]
    operator = GpuOperator(
        "gpu-operator",
        GpuOperatorArgs(_NAMESPACE, _chart(GPU_OPERATOR), plan.monitoring, _TIMEOUT_SECONDS),
        depends_on=before,
        opts=options,
    )
    made: list[pulumi.Resource] = [operator.release]
    if plan.uses_compute_domains:
        driver = DraDriver(
            "dra-driver",
            DraDriverArgs(_NAMESPACE, _chart(DRA_DRIVER), _TIMEOUT_SECONDS),
            # It looks for the labels that the operator's feature discovery writes.
            depends_on=[*before, operator.release],
            opts=options,
        )
        made.append(driver.release)
    if plan.efa_instance_types:
        plugin = EfaDevicePlugin(
            "efa-device-plugin",
            EfaDevicePluginArgs(
                _NAMESPACE, _chart(EFA_DEVICE_PLUGIN), plan.efa_instance_types, _TIMEOUT_SECONDS
            ),
            depends_on=before,
            opts=options,
        )
        made.append(plugin.release)
    return made


def _chart(pinned: PinnedChart) -> Chart:
    return Chart(pinned.name, pinned.version, pinned.repository)
