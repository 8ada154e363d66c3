"""How clients outside the cluster, but inside the network, reach a frontend, as plain data."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class InternalLoadBalancer:
    """A load balancer of its own, with an address inside the network."""

    kind: Literal["internalLoadBalancer"] = "internalLoadBalancer"


@dataclass(frozen=True, slots=True)
class IngressRule:
    """A rule of an Ingress controller that exists."""

    class_name: str
    """Class of the Ingress; it decides which controller answers, and must be an internal one."""
    host: str
    tls_secret_name: str | None
    """Secret of the Ingress with certificate and key; None: whatever the controller does without."""
    kind: Literal["ingress"] = "ingress"


ExposureKind = InternalLoadBalancer | IngressRule
