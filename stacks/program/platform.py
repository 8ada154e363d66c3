"""The platform's part of the program: NATS, etcd and the operator, where they are this stack's own."""

from dataclasses import dataclass
from typing import Literal

import pulumi

from components.dynamo_platform import BundledServers, DynamoPlatformArgs, ServerAddress, dynamo_platform
from components.etcd import Etcd, EtcdArgs
from components.helm_chart import HelmChart
from components.keeping import Keep
from components.namespace import Namespace, NamespaceArgs
from components.nats import Nats, NatsArgs
from components.network_policies import NetworkPolicies, NetworkPoliciesArgs, ServerPolicyArgs
from components.platform_guard import PlatformGuard, PlatformGuardArgs
from components.stateful_servers import NAME_LABEL, StatefulServers, StatefulServersArgs
from recipes.graph_manifest import NODES_WITHOUT_GPUS
from stacks.plan.cache import size_in_gib
from stacks.plan.resolved import ResolvedPlatform, ResolvedStack, ServerGroup
from stacks.plan.servers import ETCD_NAME, NATS_NAME

_GIB = 2**30
# etcd's own default, far above what discovery needs.
_LARGEST_ETCD_QUOTA_BYTES = 2 * _GIB
# The log, snapshots and the second copy that defragmentation writes stand beside the database.
_ETCD_SHARE_OF_VOLUME = 3
# A file system of 10 GiB holds less than 10 GiB; JetStream stops for good when a write finds no room.
_STREAM_PERCENT_OF_VOLUME = 90


@dataclass(frozen=True, slots=True)
class PlatformParts:
    """What the rest of the program needs to know of the platform."""

    namespace: tuple[pulumi.Resource, ...]
    """None where others made it."""
    used_by_graphs: tuple[pulumi.Resource, ...]
    """What every graph depends on: without the operator a graph is refused, or cannot be deleted; without
    NATS its pods restart until they reach it."""
    devices: tuple[pulumi.Resource, ...] = ()
    """Nodes with GPUs and the operators that hand out their devices, where this stack makes them."""


def deploy_platform(stack: ResolvedStack, options: pulumi.ResourceOptions, *, keep: Keep) -> PlatformParts:
    """Register the platform; nothing of one that exists.

    Args:
        stack: everything that was decided.
        options: with the provider.
        keep: what happens to the namespace when it leaves the stack.

    """
    platform = stack.platform
    if platform.kind == "existing":
        return PlatformParts((), ())
    namespace = Namespace(
        "platform-namespace",
        NamespaceArgs(
            platform.namespace,
            platform.namespace,
            stack.lifecycle,
            keep=keep,
            exists=platform.namespace_exists,
        ),
        options,
    )
    servers: list[pulumi.Resource] = []
    if platform.nats and platform.nats.kind == "own":
        nats = Nats(
            "nats",
            _nats_arguments(stack, platform.nats),
            depends_on=[*namespace.made],
            opts=options,
        )
        servers += _clients_need(nats.servers)
    if platform.etcd and platform.etcd.kind == "own":
        etcd = Etcd(
            "etcd",
            _etcd_arguments(stack, platform.etcd),
            depends_on=[*namespace.made],
            opts=options,
        )
        servers += _clients_need(etcd.servers)
    release = HelmChart(
        "dynamo-platform",
        dynamo_platform(release_arguments(platform)),
        depends_on=[*namespace.made, *servers],
        opts=options,
    ).release
    return PlatformParts(namespace.made, (release, *servers))


def guard_platform(
    stack: ResolvedStack, kubeconfig: pulumi.Output[str] | None, parts: list[pulumi.Resource]
) -> None:
    """Register what stands between the platform and a `destroy` that others would not survive.

    Args:
        stack: everything that was decided.
        kubeconfig: of a cluster that a stack of this project makes.
        parts: what goes after the guard.

    """
    PlatformGuard(
        "platform-guard",
        PlatformGuardArgs(
            platform_namespace=stack.platform.namespace,
            own_namespaces=[stack.serving.namespace] if stack.layers.owns("serving") else [],
            context=stack.cluster.context,
            kubeconfig_file=None if kubeconfig else stack.cluster.kubeconfig,
            kubeconfig=kubeconfig,
        ),
        depends_on=parts,
    )


def protect_servers(
    stack: ResolvedStack, platform: PlatformParts, options: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Register who may connect to NATS and etcd, where this stack has no graph of its own to do it for."""
    if not stack.network_policies or stack.platform.kind == "existing":
        return []
    policies = NetworkPolicies(
        "network-policies",
        NetworkPoliciesArgs(graph=None, nats=server_policy(stack, "nats"), etcd=server_policy(stack, "etcd")),
        depends_on=[*platform.namespace],
        opts=options,
    )
    return [policies]


def server_policy(stack: ResolvedStack, kind: Literal["nats", "etcd"]) -> ServerPolicyArgs | None:
    """Return whose connections are limited; None where the servers are not in this platform's namespace."""
    platform = stack.platform
    group = platform.nats if kind == "nats" else platform.etcd
    if platform.kind == "existing" or group is None or group.kind == "external":
        return None
    if group.kind == "own":
        labels = {NAME_LABEL: NATS_NAME if kind == "nats" else ETCD_NAME}
    else:
        # The labels of the charts nats 1.3 and Bitnami's etcd 12 themselves.
        labels = {NAME_LABEL: kind, "app.kubernetes.io/instance": platform.release_name}
    # A namespace that this stack has not made has no label that the servers could admit it by.
    unlabelled = () if stack.creates_namespace else (stack.serving.namespace,)
    return ServerPolicyArgs(namespace=platform.namespace, pod_labels=labels, client_namespaces=unlabelled)


def _clients_need(servers: StatefulServers) -> list[pulumi.Resource]:
    return [servers.stateful_set, servers.service]


def _nats_arguments(stack: ResolvedStack, group: ServerGroup) -> NatsArgs:
    servers = _servers(NATS_NAME, stack, group)
    volume_bytes = size_in_gib(servers.volume_size) * _GIB
    return NatsArgs(servers, max_file_store_bytes=volume_bytes * _STREAM_PERCENT_OF_VOLUME // 100)


def _etcd_arguments(stack: ResolvedStack, group: ServerGroup) -> EtcdArgs:
    servers = _servers(ETCD_NAME, stack, group)
    volume_bytes = size_in_gib(servers.volume_size) * _GIB
    quota = min(_LARGEST_ETCD_QUOTA_BYTES, volume_bytes // _ETCD_SHARE_OF_VOLUME)
    return EtcdArgs(servers, quota_bytes=quota, rejoining=group.rejoining)


def _servers(name: str, stack: ResolvedStack, group: ServerGroup) -> StatefulServersArgs:
    if group.image is None or group.storage_class_name is None or group.volume_size is None:
        raise ValueError(f"{name}: own servers have an image, a storage class and a volume size")
    return StatefulServersArgs(
        name=name,
        namespace=stack.platform.namespace,
        members=3 if group.members > 1 else 1,
        image=group.image,
        storage_class_name=group.storage_class_name,
        volume_size=group.volume_size,
        keep_volumes=stack.lifecycle == "production",
        node_affinity=NODES_WITHOUT_GPUS,
        ready_timeout_seconds=stack.platform.install_timeout_seconds,
    )


def release_arguments(platform: ResolvedPlatform) -> DynamoPlatformArgs:
    """Return what the Release of a platform of the stack's own is made from."""
    nats = _server_argument(platform.nats)
    if platform.discovery is None or nats is None:
        raise ValueError("an own platform has a discovery backend and NATS")
    return DynamoPlatformArgs(
        release_name=platform.release_name,
        namespace=platform.namespace,
        chart=platform.chart,
        version=platform.version,
        repository=platform.repository,
        discovery=platform.discovery,
        nats=nats,
        etcd=_server_argument(platform.etcd),
        operator_image=platform.operator_image,
        timeout_seconds=platform.install_timeout_seconds,
    )


def _server_argument(group: ServerGroup | None) -> BundledServers | ServerAddress | None:
    if group is None:
        return None
    if group.kind != "bundled":
        return ServerAddress(group.address)
    if group.storage_class_name is None:
        raise ValueError("bundled servers have a storage class")
    return BundledServers(group.storage_class_name)
