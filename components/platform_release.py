"""The Helm release of the Dynamo platform as plain data, apart from Pulumi."""

from dataclasses import dataclass
from typing import Any, Literal

from components.chart_values import Chart, HelmChartArgs
from components.servers import BundledServers, EtcdServers, NatsServers


@dataclass(frozen=True, slots=True)
class DynamoPlatformArgs:
    """Inputs of `DynamoPlatform`."""

    release_name: str
    namespace: str
    chart: Chart
    discovery: Literal["kubernetes", "etcd"]
    """Way in which workers and frontends find each other."""
    nats: NatsServers
    etcd: EtcdServers | None
    """Servers of etcd; None with discovery kubernetes, which needs no etcd."""
    operator_image: str | None
    """Repository of the operator's image, where a mirror replaces it; None: the chart's own."""
    timeout_seconds: int
    """How long the release, and each of its own servers, may take to become ready."""


def dynamo_platform(args: DynamoPlatformArgs) -> HelmChartArgs:
    """Return what every graph depends on: without the operator one is refused, or cannot be deleted."""
    return HelmChartArgs(
        component="DynamoPlatform",
        chart=args.chart,
        release_name=args.release_name,
        namespace=args.namespace,
        values=release_values(args),
        timeout_seconds=args.timeout_seconds,
        outputs={"releaseName": args.release_name},
    )


def release_values(args: DynamoPlatformArgs) -> dict[str, Any]:
    """Return the values of the chart; every key that a later chart would turn around is written out.

    The chart has no schema: an unknown key would pass in silence.
    """
    operator: dict[str, Any] = {
        "discoveryBackend": args.discovery,
        # Lets the operator bring the definitions up to its own version at every start.
        "upgradeCRD": True,
    }
    if not isinstance(args.nats, BundledServers):
        operator["natsAddr"] = args.nats.address
    if args.etcd and not isinstance(args.etcd, BundledServers):
        operator["etcdAddr"] = args.etcd.address
    if args.operator_image:
        operator["controllerManager"] = {"manager": {"image": {"repository": args.operator_image}}}
    values: dict[str, Any] = {
        "global": {
            # Dynamo 1.2 sends its events through NATS. The chart bundles it by default through 1.3 and no
            # longer from 1.4, so an upgrade would take it away from running workers (ai-dynamo/dynamo#11951).
            "nats": {"install": isinstance(args.nats, BundledServers)},
            "etcd": {"install": isinstance(args.etcd, BundledServers)},
            "grove": {"install": False},
            "kai-scheduler": {"install": False},
        },
        "dynamo-operator": operator,
    }
    # Many clusters have no default class, and then a server waits for its volume for ever.
    if isinstance(args.nats, BundledServers):
        claim = {"storageClassName": args.nats.storage_class_name}
        values["nats"] = {"config": {"jetstream": {"fileStore": {"pvc": claim}}}}
    if isinstance(args.etcd, BundledServers):
        values["etcd"] = {"persistence": {"storageClass": args.etcd.storage_class_name}}
    return values
