"""Which connections the pods of the platform and of a graph accept.

Only incoming ones: what the pods may reach (the Kubernetes API, DNS, the model hub, a registry) has addresses
that no policy can name. Nothing selects the operator either: its webhook is called by the API server, whose
address differs by cluster.
"""

from collections.abc import Mapping
from typing import Any, cast

import pulumi
from pulumi_kubernetes.networking.v1 import NetworkPolicy, NetworkPolicySpecArgsDict

from components.dynamo_objects import FRONTEND_PORT, GRAPH_NAME, USES_PLATFORM
from components.options import Resources, child
from components.stateful_servers import NAME_LABEL
from recipes.server_manifest import client_pod_labels
from stacks.plan.platform.etcd_command import CLIENT_PORT as ETCD_CLIENT
from stacks.plan.platform.etcd_command import PEER_PORT as ETCD_PEER
from stacks.plan.platform.nats_configuration import CLIENT_PORT as NATS_CLIENT
from stacks.plan.platform.nats_configuration import CLUSTER_PORT as NATS_CLUSTER
from stacks.plan.platform.platform_plan import RELEASE_NAME, OwnPlatform
from stacks.plan.stack_plan import ServingPlan, StackPlan

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


class NetworkPolicies(pulumi.ComponentResource):
    """Policies for the graph of a stack, and for the servers of its platform, as far as they are its own."""

    def __init__(
        self, name: str, stack: StackPlan, *, depends_on: Resources, opts: pulumi.ResourceOptions
    ) -> None:
        serving = stack.serving if stack.layers.owns("serving") else None
        inputs = {"namespace": serving.namespace, "graphName": serving.graph_name} if serving else {}
        super().__init__("dynamo-stack:components:NetworkPolicies", name, inputs, opts)
        self._options = child(self, depends_on, timeout=_TIMEOUT)
        if serving:
            self._of_graph(name, serving, exposed=stack.settings.serving.exposure is not None)
        if isinstance(stack.platform, OwnPlatform):
            self._of_servers(name, stack, stack.platform)
        self.register_outputs(inputs)

    def _of_graph(self, name: str, serving: ServingPlan, *, exposed: bool) -> None:
        graph = serving.graph_name
        own_pods = {"matchLabels": {GRAPH_NAME: graph}}
        specs = {
            # Any port: requests, answers and KV-cache blocks travel over ports that the processes choose.
            "graph": {"podSelector": own_pods, "ingress": [{"from": [{"podSelector": own_pods}]}]},
            "frontend": _frontend(serving, exposed=exposed),
        }
        # The cluster's Prometheus reads metrics.
        if serving.pod_monitor_labels is not None:
            scrapers = {"namespaceSelector": {}, "podSelector": {"matchExpressions": [_SCRAPERS]}}
            ports = _ports(FRONTEND_PORT, WORKER_SYSTEM_PORT, NIXL_TELEMETRY_PORT)
            specs["metrics"] = {"podSelector": own_pods, "ingress": [{"from": [scrapers], "ports": ports}]}
        for part, spec in specs.items():
            # In the state they are called after the graph too, as everything is that goes with it.
            self._policy(f"{name}-{graph}-{part}", f"{graph}-{part}", serving.namespace, spec)

    def _of_servers(self, name: str, stack: StackPlan, platform: OwnPlatform) -> None:
        # Also those of other stacks that use this platform.
        labels = [{USES_PLATFORM: platform.namespace}]
        if not stack.creates_namespace:
            # A namespace that this stack has not made has no such label.
            labels.append({_NAMESPACE_NAME: stack.serving.namespace})
        users = [{"namespaceSelector": {"matchLabels": each}} for each in labels]
        # `etcdctl --cluster` in one member asks the others as a client.
        groups = (
            ("nats", platform.typed.nats, platform.nats, NATS_CLIENT, (NATS_CLUSTER,)),
            ("etcd", platform.typed.etcd, platform.etcd, ETCD_CLIENT, (ETCD_CLIENT, ETCD_PEER)),
        )
        for kind, typed, own, client_port, member_ports in groups:
            if typed and typed.kind != "external":
                # Of a chart's own the labels of the charts nats 1.3 and Bitnami's etcd 12 themselves.
                pods = {NAME_LABEL: kind, "app.kubernetes.io/instance": RELEASE_NAME}
                if own:
                    pods = {NAME_LABEL: own.name}
                ingress = [{"from": users, "ports": _ports(client_port)}]
                members = {"matchLabels": pods}
                if own and own.typed.members > 1:
                    ingress.append({"from": [{"podSelector": members}], "ports": _ports(*member_ports)})
                spec = {"podSelector": members, "ingress": ingress}
                self._policy(f"{name}-{kind}", f"dynamo-{kind}", platform.namespace, spec)

    def _policy(self, logical_name: str, name: str, namespace: str, spec: Mapping[str, Any]) -> None:
        NetworkPolicy(
            logical_name,
            metadata={"name": name, "namespace": namespace},
            spec=cast("NetworkPolicySpecArgsDict", {**spec, "policyTypes": ["Ingress"]}),
            opts=self._options,
        )


def _frontend(serving: ServingPlan, *, exposed: bool) -> dict[str, Any]:
    sources: list[dict[str, Any]] = [{"podSelector": {}}]
    if exposed:
        # An Ingress controller is a pod in a namespace that nobody told us; a load balancer is no pod.
        sources.append({"namespaceSelector": {}})
        sources += [{"ipBlock": {"cidr": cidr}} for cidr in _PRIVATE_ADDRESSES]
    return {
        "podSelector": {"matchLabels": dict(client_pod_labels(serving.placed))},
        "ingress": [{"from": sources, "ports": _ports(FRONTEND_PORT)}],
    }


def _ports(*numbers: int) -> list[dict[str, Any]]:
    return [{"protocol": "TCP", "port": number} for number in numbers]
