"""The Dynamo platform: operator, webhooks, custom resource definitions and, where wanted, bundled servers."""

from dataclasses import dataclass
from typing import Any, Literal

from components.chart import Chart
from components.helm_chart import HelmChartArgs


@dataclass(frozen=True, slots=True)
class BundledServers:
    """Servers that the chart brings along."""

    storage_class_name: str


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Servers that run apart from the chart."""

    address: str
    """As clients are given it: one nats:// URL, or etcd endpoints separated by commas."""


@dataclass(frozen=True, slots=True)
class DynamoPlatformArgs:
    """What the chart is installed with."""

    release_name: str
    namespace: str
    chart: str
    version: str
    repository: str
    discovery: Literal["kubernetes", "etcd"]
    """Where workers and frontends find each other."""
    nats: BundledServers | ServerAddress
    etcd: BundledServers | ServerAddress | None
    """None with discovery kubernetes, which needs no etcd."""
    operator_image: str | None
    """Repository of the operator's image; None: the chart's own."""
    timeout_seconds: int


def dynamo_platform(args: DynamoPlatformArgs) -> HelmChartArgs:
    """Return what every graph depends on: without the operator one is refused, or cannot be deleted."""
    return HelmChartArgs(
        component="DynamoPlatform",
        chart=Chart(args.chart, args.version, args.repository),
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
    if isinstance(args.nats, ServerAddress):
        operator["natsAddr"] = args.nats.address
    if isinstance(args.etcd, ServerAddress):
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
