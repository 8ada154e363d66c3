"""Which connections the pods of the platform and of a graph accept.

Only incoming ones: what the pods may reach (the Kubernetes API, DNS, the model hub, a registry) has addresses
that no policy can name. Nothing selects the operator either: its webhook is called by the API server, whose
address differs by cluster.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pulumi
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from components.dynamo_objects import FRONTEND_PORT, GRAPH_NAME, USES_PLATFORM
from components.etcd_command import CLIENT_PORT as ETCD_CLIENT
from components.etcd_command import PEER_PORT as ETCD_PEER
from components.nats_configuration import CLIENT_PORT as NATS_CLIENT
from components.nats_configuration import CLUSTER_PORT as NATS_CLUSTER
from components.options import Resources, child

if TYPE_CHECKING:
    from pulumi_kubernetes.networking.v1 import NetworkPolicySpecArgsDict

WORKER_SYSTEM_PORT = 9090
NIXL_TELEMETRY_PORT = 19090

_TIMEOUT = "120s"
_NAMESPACE_NAME = "kubernetes.io/metadata.name"
# The label that the Prometheus operator puts on the servers and agents that it runs.
_SCRAPERS = {
    "key": "app.kubernetes.io/name",
    "operator": "In",
    "values": ["prometheus", "prometheus-agent"],
}
# RFC 1918, RFC 6598 (used for pods and nodes by some networks) and RFC 4193: clients in the network, and
# load balancers that keep or replace their addresses.
_PRIVATE_ADDRESSES = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")


class ServerPods(NamedTuple):
    """The pods of NATS or etcd servers."""

    labels: Mapping[str, str]
    members: int


class ProtectedGraph(NamedTuple):
    """The graph whose pods are protected."""

    namespace: str
    name: str
    client_pod_labels: Mapping[str, str]
    """Labels of the pods that answer clients."""
    exposed: bool
    """Clients outside the cluster reach the frontend through a load balancer or an Ingress."""
    scraped: bool
    """The cluster's Prometheus reads metrics."""


class NetworkPolicies(pulumi.ComponentResource):
    """Policies for one graph, and for the platform's servers, where this stack runs them.

    Args:
        graph: None where it is not this stack's.
        platform_namespace: of the servers; not read without any.
        nats: None where it is not this stack's.
        etcd: likewise.
        client_namespaces: those of clients that have no label which says so.

    """

    def __init__(
        self,
        name: str,
        *,
        graph: ProtectedGraph | None,
        platform_namespace: str,
        nats: ServerPods | None,
        etcd: ServerPods | None,
        client_namespaces: Sequence[str],
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"namespace": graph.namespace, "graphName": graph.name} if graph else {}
        super().__init__("dynamo-stack:components:NetworkPolicies", name, inputs, opts)
        self._options = child(self, depends_on, timeout=_TIMEOUT)
        if graph:
            self._of_graph(name, graph)
        users = _users(platform_namespace, client_namespaces)
        if nats:
            spec = _servers(nats, users, NATS_CLIENT, (NATS_CLUSTER,))
            self._policy(f"{name}-nats", "dynamo-nats", platform_namespace, spec)
        if etcd:
            # `etcdctl --cluster` in one member asks the others as a client.
            spec = _servers(etcd, users, ETCD_CLIENT, (ETCD_CLIENT, ETCD_PEER))
            self._policy(f"{name}-etcd", "dynamo-etcd", platform_namespace, spec)
        self.register_outputs(inputs)

    def _of_graph(self, name: str, graph: ProtectedGraph) -> None:
        specs = {"graph": _within_graph(graph), "frontend": _frontend(graph)}
        if graph.scraped:
            specs["metrics"] = _metrics(graph)
        for part, spec in specs.items():
            # In the state they are called after the graph too, as everything is that goes with it.
            self._policy(f"{name}-{graph.name}-{part}", f"{graph.name}-{part}", graph.namespace, spec)

    def _policy(self, logical_name: str, name: str, namespace: str, spec: Mapping[str, Any]) -> None:
        NetworkPolicy(
            logical_name,
            metadata={"name": name, "namespace": namespace},
            spec=cast("NetworkPolicySpecArgsDict", {**spec, "policyTypes": ["Ingress"]}),
            opts=self._options,
        )


def _within_graph(graph: ProtectedGraph) -> dict[str, Any]:
    own_pods = {"matchLabels": {GRAPH_NAME: graph.name}}
    # Any port: requests, answers and KV-cache blocks travel over ports that the processes choose.
    return {"podSelector": own_pods, "ingress": [{"from": [{"podSelector": own_pods}]}]}


def _frontend(graph: ProtectedGraph) -> dict[str, Any]:
    sources: list[dict[str, Any]] = [{"podSelector": {}}]
    if graph.exposed:
        # An Ingress controller is a pod in a namespace that nobody told us; a load balancer is no pod.
        sources.append({"namespaceSelector": {}})
        sources += [{"ipBlock": {"cidr": cidr}} for cidr in _PRIVATE_ADDRESSES]
    return {
        "podSelector": {"matchLabels": dict(graph.client_pod_labels)},
        "ingress": [{"from": sources, "ports": _ports(FRONTEND_PORT)}],
    }


def _metrics(graph: ProtectedGraph) -> dict[str, Any]:
    scrapers = {"namespaceSelector": {}, "podSelector": {"matchExpressions": [_SCRAPERS]}}
    ports = _ports(FRONTEND_PORT, WORKER_SYSTEM_PORT, NIXL_TELEMETRY_PORT)
    return {
        "podSelector": {"matchLabels": {GRAPH_NAME: graph.name}},
        "ingress": [{"from": [scrapers], "ports": ports}],
    }


def _users(platform_namespace: str, client_namespaces: Sequence[str]) -> list[dict[str, Any]]:
    # Also those of other stacks that use this platform.
    labels = [{USES_PLATFORM: platform_namespace}, *({_NAMESPACE_NAME: name} for name in client_namespaces)]
    return [{"namespaceSelector": {"matchLabels": each}} for each in labels]


def _servers(
    servers: ServerPods, users: list[dict[str, Any]], client_port: int, member_ports: Sequence[int]
) -> dict[str, Any]:
    members = {"matchLabels": dict(servers.labels)}
    ingress = [{"from": users, "ports": _ports(client_port)}]
    if servers.members > 1:
        ingress.append({"from": [{"podSelector": members}], "ports": _ports(*member_ports)})
    return {"podSelector": members, "ingress": ingress}


def _ports(*numbers: int) -> list[dict[str, Any]]:
    return [{"protocol": "TCP", "port": number} for number in numbers]
