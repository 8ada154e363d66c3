"""Network policies: what they have to admit, and whether somebody enforces them."""

from typing import Any

from tests.rules.case import On
from tests.rules.edits import Edit, document, put
from tests.rules.exports import LATER, resource, unset

PUBLIC = "no-public-endpoint"
EKS, OURS = "program-on-eks", "disagg-gb200-on-eks"
CLUSTER = "Cluster/cluster"
OUR_SERVICE = "Service/dynamo-nats"
SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"


def _balanced(**spec: Any) -> tuple[Edit, ...]:
    return tuple(
        put(OUR_SERVICE, f"spec.{key}", value) for key, value in {"type": "LoadBalancer", **spec}.items()
    )


def _ingress(annotations: str) -> Edit:
    return document(f"""
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: frontend, namespace: gpt-oss, annotations: {{{annotations}}}}}
spec: {{defaultBackend: {{service: {{name: gpt-oss-disagg-frontend, port: {{number: 8000}}}}}}}}
""")


CASES = (
    On(PUBLIC, OURS, "eks").fails(
        "our API server for everybody",
        "has an API endpoint open to 0.0.0.0/0",
        resource("Cluster/eks", "inputs.vpcConfig.publicAccessCidrs", ["0.0.0.0/0"]),
    ),
    On(PUBLIC, "disagg-b200", "dynamo-nats", "frontend").fails(
        "a load balancer and an Ingress for everybody",
        "is a load balancer open to every address, and nothing makes it internal: GKE and AKS give",
        _balanced(),
        "is internet-facing, open to every address",
        _ingress("alb.ingress.kubernetes.io/scheme: internet-facing"),
    ),
    On(PUBLIC, "disagg-b200", "dynamo-nats").is_undecided(
        "a load balancer of a class",
        "is a load balancer of class tailscale, which decides whether it is internal",
        _balanced(loadBalancerClass="tailscale"),
    ),
    On(PUBLIC, "disagg-b200", "dynamo-nats").fails(
        "a load balancer of a class that is told to be public",
        "is a load balancer open to every address, and is internet-facing",
        _balanced(loadBalancerClass="service.k8s.aws/nlb"),
        put(OUR_SERVICE, f"metadata.annotations.[{SCHEME}]", "internet-facing"),
    ),
    On(PUBLIC, "disagg-b200").passes(
        "a load balancer for one range", _balanced(loadBalancerSourceRanges=["10.0.0.0/8"])
    ),
    On(PUBLIC, "disagg-b200").passes(
        "an internal balancer", _balanced(), put(OUR_SERVICE, f"metadata.annotations.[{SCHEME}]", "internal")
    ),
    On(PUBLIC, EKS, "cluster").fails(
        "a cluster's endpoint as it is by default",
        "has an API endpoint open to every address, the default",
        unset(CLUSTER, "inputs.vpcConfig.endpointPublicAccess"),
    ),
    On(PUBLIC, EKS, "cluster").is_undecided(
        "ranges of a cluster's endpoint that are not known yet",
        "a part of publicAccessCidrs is known only after the update",
        resource(CLUSTER, "inputs.vpcConfig.endpointPublicAccess", True),
        resource(CLUSTER, "inputs.vpcConfig.publicAccessCidrs", [LATER]),
    ),
)
