"""What a stack changes of a recipe's services, who reaches what is served, and who reads its metrics."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import ImageTag, LabelKey, LabelValue, Name, Text, VariableName

# ai-dynamo 1.2.1 to 1.6.0, dynamo/frontend/frontend_args.py (engines/command_options.json).
RouterMode = Literal[
    "round-robin", "random", "kv", "direct", "power-of-two", "least-loaded", "device-aware-weighted"
]
Variables = Mapping[VariableName, str | None]


class VariablesPerRole(StrictModel):
    """Environment variables per role, beside the recipe's or in their place; null takes one away."""

    frontend: Variables | None = None
    """Variables of the frontends; None: the recipe's alone."""
    prefill: Variables | None = None
    """Variables of the prefill workers of a disaggregated recipe; None: the recipe's alone."""
    decode: Variables | None = None
    """Variables of the decode workers of a disaggregated recipe; None: the recipe's alone."""
    worker: Variables | None = None
    """Variables of the workers of an aggregated recipe; None: the recipe's alone."""


class ArgumentsPerRole(StrictModel):
    """Options of the commands per role, one flag or value an entry, over the recipe's."""

    frontend: tuple[Text, ...] | None = None
    """Options of `dynamo.frontend`, one flag or value an entry; None: the recipe's alone."""
    prefill: tuple[Text, ...] | None = None
    """Options of the prefill workers of a disaggregated recipe; None: the recipe's alone."""
    decode: tuple[Text, ...] | None = None
    """Options of the decode workers of a disaggregated recipe; None: the recipe's alone."""
    worker: tuple[Text, ...] | None = None
    """Options of the workers of an aggregated recipe; None: the recipe's alone."""


class ImageVersionsPerRole(StrictModel):
    """Tags of the runtime's image per role, of the release line of the recipe's."""

    frontend: ImageTag | None = None
    """Tag for the frontends; None: the recipe's."""
    prefill: ImageTag | None = None
    """Tag for the prefill workers of a disaggregated recipe; None: the recipe's."""
    decode: ImageTag | None = None
    """Tag for the decode workers of a disaggregated recipe; None: the recipe's."""
    worker: ImageTag | None = None
    """Tag for the workers of an aggregated recipe; None: the recipe's."""


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
