"""Which connections the pods of the platform and of a graph accept.

Only incoming ones: what the pods may reach (the Kubernetes API, DNS, the model hub, a registry) has addresses
that no policy can name. Nothing selects the operator either: its webhook is called by the API server, whose
address differs by cluster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from components.dynamo_objects import FRONTEND_PORT, GRAPH_NAME, USES_PLATFORM
from components.etcd_command import CLIENT_PORT as ETCD_CLIENT
from components.etcd_command import PEER_PORT as ETCD_PEER
from components.nats_configuration import CLIENT_PORT as NATS_CLIENT
from components.nats_configuration import CLUSTER_PORT as NATS_CLUSTER
from components.options import Resources, child

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


@dataclass(frozen=True, slots=True)
class GraphPolicyArgs:
    """The graph whose pods are protected."""

    namespace: str
    graph_name: str
    client_pod_labels: Mapping[str, str]
    """Labels of the pods that answer clients."""
    exposed: bool
    """Clients outside the cluster reach the frontend through a load balancer or an Ingress."""
    scraped: bool
    """The cluster's Prometheus reads metrics."""


@dataclass(frozen=True, slots=True)
class ServerPolicyArgs:
    """NATS or etcd servers in the platform's namespace."""

    namespace: str
    pod_labels: Mapping[str, str]
    members: int
    client_namespaces: tuple[str, ...] = ()
    """Namespaces of clients that have no label which says so, by name."""


@dataclass(frozen=True, slots=True)
class NetworkPoliciesArgs:
    """Inputs of `NetworkPolicies`; None where graph or servers are not this stack's."""

    graph: GraphPolicyArgs | None
    nats: ServerPolicyArgs | None
    etcd: ServerPolicyArgs | None


class NetworkPolicies(pulumi.ComponentResource):
    """Policies for one graph, and for the platform's servers, where this stack runs them."""

    def __init__(
        self, name: str, args: NetworkPoliciesArgs, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        graph = args.graph
        inputs = {"namespace": graph.namespace, "graphName": graph.graph_name} if graph else {}
        super().__init__("dynamo-stack:components:NetworkPolicies", name, inputs, opts)
        self._options = child(self, depends_on, timeout=_TIMEOUT)
        if graph:
            self._of_graph(name, graph)
        if args.nats:
            self._policy(
                f"{name}-nats",
                "dynamo-nats",
                args.nats.namespace,
                _servers(args.nats, NATS_CLIENT, (NATS_CLUSTER,)),
            )
        if args.etcd:
            self._policy(
                f"{name}-etcd",
                "dynamo-etcd",
                args.etcd.namespace,
                # `etcdctl --cluster` in one member asks the others as a client.
                _servers(args.etcd, ETCD_CLIENT, (ETCD_CLIENT, ETCD_PEER)),
            )
        self.register_outputs({})

    def _of_graph(self, name: str, graph: GraphPolicyArgs) -> None:
        # In the state they are called after the graph too, as everything is that goes with it.
        of_graph = f"{name}-{graph.graph_name}"
        self._policy(f"{of_graph}-graph", f"{graph.graph_name}-graph", graph.namespace, _within_graph(graph))
        self._policy(
            f"{of_graph}-frontend", f"{graph.graph_name}-frontend", graph.namespace, _frontend(graph)
        )
        if graph.scraped:
            self._policy(
                f"{of_graph}-metrics", f"{graph.graph_name}-metrics", graph.namespace, _metrics(graph)
            )

    def _policy(self, logical_name: str, name: str, namespace: str, spec: Any) -> None:
        NetworkPolicy(
            logical_name,
            metadata={"name": name, "namespace": namespace},
            spec=spec | {"policyTypes": ["Ingress"]},
            opts=self._options,
        )


def _within_graph(graph: GraphPolicyArgs) -> dict[str, Any]:
    own_pods = {"matchLabels": {GRAPH_NAME: graph.graph_name}}
    # Any port: requests, answers and KV-cache blocks travel over ports that the processes choose.
    return {"podSelector": own_pods, "ingress": [{"from": [{"podSelector": own_pods}]}]}


def _frontend(graph: GraphPolicyArgs) -> dict[str, Any]:
    sources: list[dict[str, Any]] = [{"podSelector": {}}]
    if graph.exposed:
        # An Ingress controller is a pod in a namespace that nobody told us; a load balancer is no pod.
        sources.append({"namespaceSelector": {}})
        sources += [{"ipBlock": {"cidr": cidr}} for cidr in _PRIVATE_ADDRESSES]
    return {
        "podSelector": {"matchLabels": dict(graph.client_pod_labels)},
        "ingress": [{"from": sources, "ports": _ports(FRONTEND_PORT)}],
    }


def _metrics(graph: GraphPolicyArgs) -> dict[str, Any]:
    scrapers = {"namespaceSelector": {}, "podSelector": {"matchExpressions": [_SCRAPERS]}}
    ports = _ports(FRONTEND_PORT, WORKER_SYSTEM_PORT, NIXL_TELEMETRY_PORT)
    return {
        "podSelector": {"matchLabels": {GRAPH_NAME: graph.graph_name}},
        "ingress": [{"from": [scrapers], "ports": ports}],
    }


def _servers(servers: ServerPolicyArgs, client_port: int, member_ports: Sequence[int]) -> dict[str, Any]:
    members = {"matchLabels": dict(servers.pod_labels)}
    users = [
        # Also those of other stacks that use this platform.
        {"namespaceSelector": {"matchLabels": {USES_PLATFORM: servers.namespace}}},
        *(
            {"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: name}}}
            for name in servers.client_namespaces
        ),
    ]
    ingress = [{"from": users, "ports": _ports(client_port)}]
    if servers.members > 1:
        ingress.append({"from": [{"podSelector": members}], "ports": _ports(*member_ports)})
    return {"podSelector": members, "ingress": ingress}


def _ports(*numbers: int) -> list[dict[str, Any]]:
    return [{"protocol": "TCP", "port": number} for number in numbers]
