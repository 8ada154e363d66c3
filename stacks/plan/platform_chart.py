"""The Helm release of the Dynamo platform, with the values that follow from the plan."""

from typing import Any

from components.chart_values import HelmChartArgs
from components.servers import BundledServers
from stacks.plan.platform import RELEASE_NAME, OwnPlatform


def dynamo_platform(platform: OwnPlatform) -> HelmChartArgs:
    """Return what every graph depends on: without the operator one is refused, or cannot be deleted."""
    return HelmChartArgs(
        component="DynamoPlatform",
        chart=platform.chart,
        release_name=RELEASE_NAME,
        namespace=platform.namespace,
        values=release_values(platform),
        timeout_seconds=platform.timeout_seconds,
        outputs={"releaseName": RELEASE_NAME},
    )


def release_values(platform: OwnPlatform) -> dict[str, Any]:
    """Return the values of the chart; every key that a later chart would turn around is written out.

    The chart has no schema: an unknown key would pass in silence.
    """
    operator: dict[str, Any] = {
        "discoveryBackend": platform.discovery,
        # Lets the operator bring the definitions up to its own version at every start.
        "upgradeCRD": True,
    }
    if not isinstance(platform.nats, BundledServers):
        operator["natsAddr"] = platform.nats.address
    if platform.etcd and not isinstance(platform.etcd, BundledServers):
        operator["etcdAddr"] = platform.etcd.address
    if platform.operator_image:
        operator["controllerManager"] = {"manager": {"image": {"repository": platform.operator_image}}}
    values: dict[str, Any] = {
        "global": {
            # Dynamo 1.2 sends its events through NATS. The chart bundles it by default through 1.3 and no
            # longer from 1.4, so an upgrade would take it away from running workers (ai-dynamo/dynamo#11951).
            "nats": {"install": isinstance(platform.nats, BundledServers)},
            "etcd": {"install": isinstance(platform.etcd, BundledServers)},
            "grove": {"install": False},
            "kai-scheduler": {"install": False},
        },
        "dynamo-operator": operator,
    }
    # Many clusters have no default class, and then a server waits for its volume for ever.
    if isinstance(platform.nats, BundledServers):
        claim = {"storageClassName": platform.nats.storage_class_name}
        values["nats"] = {"config": {"jetstream": {"fileStore": {"pvc": claim}}}}
    if isinstance(platform.etcd, BundledServers):
        values["etcd"] = {"persistence": {"storageClass": platform.etcd.storage_class_name}}
    return values
