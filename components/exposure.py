"""How clients in the network, but outside the cluster, reach a graph's frontend. Never public."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_kubernetes.core.v1 import Service
from pulumi_kubernetes.networking.v1 import Ingress

from components.dynamo_objects import FRONTEND_PORT, frontend_service
from components.options import Resources, child
from stacks.settings.services import ExposureSettings, IngressExposure, InternalLoadBalancer

# A controller that is not installed answers never; one that is, in two or three minutes.
_TIMEOUT = "600s"

# A LoadBalancer Service without them gets a public address on these clouds. Each controller reads its own
# and ignores the others, so a stack that moves is never public by omission.
INTERNAL_ANNOTATIONS = {
    # AWS Load Balancer Controller 2.2 and later; its default is internal, as long as nobody changes it.
    "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
    # The controller built into Kubernetes, which still answers on clusters without the one above.
    "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
    "networking.gke.io/load-balancer-type": "Internal",
    "service.beta.kubernetes.io/azure-load-balancer-internal": "true",
}
# AWS makes a Classic ELB where no controller is installed. It cuts a connection after 60 s without a byte,
# which a long answer that is not streamed takes (kubernetes/cloud-provider-aws docs/service_controller.md).
# The Network Load Balancer of the AWS Load Balancer Controller cuts it after 350 s, and has the limit at its
# listener (kubernetes-sigs/aws-load-balancer-controller docs/guide/service/annotations.md, and
# https://docs.aws.amazon.com/elasticloadbalancing/latest/network/update-idle-timeout.html).
_PREFIX = "service.beta.kubernetes.io/aws-load-balancer"
_UNCUT = {
    f"{_PREFIX}-connection-idle-timeout": "3600",
    f"{_PREFIX}-listener-attributes.TCP-{FRONTEND_PORT}": "tcp.idle_timeout.seconds=3600",
}
_INGRESS_ANNOTATIONS = {
    "alb.ingress.kubernetes.io/scheme": "internal",
    # The frontend's Service has no node ports.
    "alb.ingress.kubernetes.io/target-type": "ip",
    # Both cut a connection after 60 s without a byte, which a long answer that is not streamed takes.
    "alb.ingress.kubernetes.io/load-balancer-attributes": "idle_timeout.timeout_seconds=3600",
    "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600",
    # nginx refuses a body over 1 MiB, and so a long prompt.
    "nginx.ingress.kubernetes.io/proxy-body-size": "15m",
}


class Exposure(pulumi.ComponentResource):
    """An internal load balancer of its own, or a rule of an Ingress controller that exists.

    `pod_labels` are those of the pods that answer clients.
    """

    def __init__(
        self,
        name: str,
        way: ExposureSettings,
        *,
        graph_name: str,
        namespace: str,
        pod_labels: Mapping[str, str],
        depends_on: Resources,
        opts: pulumi.ResourceOptions,
    ) -> None:
        inputs = {"kind": way.kind, "graphName": graph_name, "namespace": namespace}
        super().__init__("dynamo-stack:components:Exposure", name, inputs, opts)
        options = child(self, depends_on, timeout=_TIMEOUT)
        if isinstance(way, InternalLoadBalancer):
            Service(
                name,
                metadata={
                    "name": f"{graph_name}-internal",
                    "namespace": namespace,
                    "annotations": {**INTERNAL_ANNOTATIONS, **_UNCUT},
                },
                spec={
                    "type": "LoadBalancer",
                    "selector": dict(pod_labels),
                    "ports": [{"name": "http", "port": FRONTEND_PORT, "target_port": FRONTEND_PORT}],
                },
                opts=options,
            )
        else:
            Ingress(
                name,
                metadata={
                    "name": f"{graph_name}-frontend",
                    "namespace": namespace,
                    "annotations": _INGRESS_ANNOTATIONS,
                },
                spec=_ingress(graph_name, way),
                opts=options,
            )
        self.register_outputs({"kind": way.kind})


def _ingress(graph_name: str, rule: IngressExposure) -> Any:
    service = {"name": frontend_service(graph_name), "port": {"number": FRONTEND_PORT}}
    path = {"path": "/", "pathType": "Prefix", "backend": {"service": service}}
    spec: dict[str, Any] = {
        "ingressClassName": rule.class_name,
        "rules": [{"host": rule.host, "http": {"paths": [path]}}],
    }
    if rule.tls_secret_name:
        spec["tls"] = [{"hosts": [rule.host], "secretName": rule.tls_secret_name}]
    return spec
