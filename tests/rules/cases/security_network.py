"""Network policies: what they have to admit, and whether somebody enforces them."""

from typing import Any

from tests.rules.case import Case, failed, undecided
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
    Case(
        PUBLIC,
        "our API server for everybody",
        OURS,
        (resource("Cluster/eks", "inputs.vpcConfig.publicAccessCidrs", ["0.0.0.0/0"]),),
        failed(PUBLIC, "eks"),
        ("has an API endpoint open to 0.0.0.0/0",),
    ),
    Case(
        PUBLIC,
        "a load balancer for everybody",
        "disagg-b200",
        _balanced(),
        failed(PUBLIC, "dynamo-nats"),
        ("is a load balancer open to every address, and nothing makes it internal",),
    ),
    Case(
        PUBLIC,
        "a load balancer for one range",
        "disagg-b200",
        _balanced(loadBalancerSourceRanges=["10.0.0.0/8"]),
    ),
    Case(
        PUBLIC,
        "an internal load balancer",
        "disagg-b200",
        (*_balanced(), put(OUR_SERVICE, f"metadata.annotations.[{SCHEME}]", "internal")),
    ),
    Case(
        PUBLIC,
        "an Ingress that faces the internet",
        "disagg-b200",
        (_ingress("alb.ingress.kubernetes.io/scheme: internet-facing"),),
        failed(PUBLIC, "frontend"),
        ("is internet-facing, open to every address",),
    ),
    Case(
        PUBLIC,
        "a cluster's endpoint as it is by default",
        EKS,
        (unset(CLUSTER, "inputs.vpcConfig.endpointPublicAccess"),),
        failed(PUBLIC, "cluster"),
        ("has an API endpoint open to every address, the default",),
    ),
    Case(
        PUBLIC,
        "ranges of a cluster's endpoint that are not known yet",
        EKS,
        (
            resource(CLUSTER, "inputs.vpcConfig.endpointPublicAccess", True),
            resource(CLUSTER, "inputs.vpcConfig.publicAccessCidrs", [LATER]),
        ),
        undecided(PUBLIC, "cluster"),
        ("a part of publicAccessCidrs is known only after the update",),
    ),
)
