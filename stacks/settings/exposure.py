"""Who reaches what is served, and who reads its metrics."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import LabelKey, LabelValue, Name, Text


class InternalLoadBalancer(StrictModel):
    """A Service of type LoadBalancer with an address inside the network."""

    kind: Literal["internalLoadBalancer"]


class IngressExposure(StrictModel):
    """An Ingress of an internal class."""

    kind: Literal["ingress"]
    class_name: Name
    """IngressClass of a controller without a public address."""
    host: Text
    """Name by which clients address it."""
    tls_secret_name: Name | None = None
    """Secret with the certificate, in the serving namespace; None: plain HTTP."""


ExposureSettings = Annotated[InternalLoadBalancer | IngressExposure, Field(discriminator="kind")]


class PodMonitorSettings(StrictModel):
    """A PodMonitor for frontend and workers; needs the Prometheus operator in the cluster."""

    labels: Mapping[LabelKey, LabelValue] = Field(default_factory=dict[str, str])
    """Labels that the Prometheus of the cluster selects monitors by, such as release: prometheus."""
