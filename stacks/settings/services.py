"""What a stack changes of a recipe's services, who reaches what is served, and who reads its metrics."""

from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import (
    Count,
    ImageTag,
    LabelKey,
    LabelValue,
    Name,
    Text,
    VariableName,
    VolumeSize,
)

# ai-dynamo 1.2.1 to 1.6.0, dynamo/frontend/frontend_args.py (engines/command_options.json).
RouterMode = Literal[
    "round-robin", "random", "kv", "direct", "power-of-two", "least-loaded", "device-aware-weighted"
]
Variables = Mapping[VariableName, str | None]
EngineKeys = Mapping[str, Any]
"""Options of an engine, which the plan reads with the types of the engine that the recipe names."""


_Changed = TypeVar("_Changed")


class PerRole(StrictModel, Generic[_Changed]):
    """What a stack changes of the services of a role."""

    frontend: _Changed | None = None
    """None: the recipe's."""
    prefill: _Changed | None = None
    """None: the recipe's."""
    decode: _Changed | None = None
    """None: the recipe's."""
    worker: _Changed | None = None
    """None: the recipe's."""


class PerWorkerRole(StrictModel, Generic[_Changed]):
    """What a stack changes of the workers of a role."""

    prefill: _Changed | None = None
    """None: nothing is changed."""
    decode: _Changed | None = None
    """None: nothing is changed."""
    worker: _Changed | None = None
    """None: nothing is changed."""


class VariablesPerRole(PerRole[Variables]):
    """Environment variables per role, beside the recipe's or in their place; null takes one away."""


class ArgumentsPerRole(PerRole[tuple[Text, ...]]):
    """Options of the commands per role, one flag or value an entry, over the recipe's."""


class ImageVersionsPerRole(PerRole[ImageTag]):
    """Tags of the runtime's image per role, of the release line of the recipe's."""


class ReplicaSettings(PerRole[Count]):
    """Replicas per role; where prefill and decode share a pod, worker counts pods, the others in each."""


class EngineOverrides(PerWorkerRole[EngineKeys]):
    """Engine options per role, over the recipe's; keys are those of the recipe's engine."""


class PodResourceSettings(StrictModel):
    """What a worker's pod asks for beside GPUs; what is left out follows from its GPUs' share of the node."""

    cpu: Count | None = None
    """Whole CPUs, request and limit."""
    memory: VolumeSize | None = None
    """Request and limit; shared memory counts within."""


class WorkerResources(PerWorkerRole[PodResourceSettings]):
    """Processor time and memory of the workers per role."""


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
