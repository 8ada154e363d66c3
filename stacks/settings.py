"""The typed configuration of a stack: what a person writes below `dynamo-stack:settings`.

Strict on purpose. YAML turns 1.30 into the number 1.3 and 2026-12-01 into a timestamp before anybody can
look at it, so a model that converted quietly would deploy something other than what was typed.
"""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from recipes.strict_model import StrictModel
from stacks.text_forms import DNS_LABEL, DNS_NAME, VERSION, VOLUME_SIZE

# How the engine hands on a date that was not quoted: Go's text form of a timestamp.
UNQUOTED_DATE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \S+$")


def _refuse_unquoted_date(value: str) -> str:
    if UNQUOTED_DATE.match(value):
        raise ValueError("a date or time without quotes")
    return value


Text = Annotated[str, Field(min_length=1), AfterValidator(_refuse_unquoted_date)]
Name = Annotated[str, Field(max_length=63, pattern=DNS_LABEL.pattern)]
GraphName = Annotated[str, Field(max_length=32, pattern=DNS_LABEL.pattern)]
"""Short: the operator appends the component's name and a hash, and a Service's name ends at 63."""
StorageClassName = Annotated[str, Field(max_length=253, pattern=DNS_NAME.pattern)]
Version = Annotated[str, Field(pattern=VERSION.pattern)]
VolumeSize = Annotated[str, Field(pattern=VOLUME_SIZE.pattern)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Seconds = Annotated[int, Field(ge=1, le=24 * 3600)]


class ClusterSettings(StrictModel):
    """Which cluster; its address and credentials come from the KUBECONFIG environment variable."""

    kind: Literal["existing"]
    context: Text


class PlatformSettings(StrictModel):
    """The Dynamo platform."""

    version: Version
    namespace: Name = "dynamo-system"
    storage_class_name: StorageClassName
    """For the volume of the bundled NATS server."""
    install_timeout_seconds: Seconds = 600


class NodePoolSettings(StrictModel):
    """Equal GPU nodes that exist in the cluster."""

    name: Name
    instance_type: Text
    nodes: Count


class ModelCacheSettings(StrictModel):
    """The volume for the model's files."""

    size: VolumeSize
    storage_class_name: StorageClassName
    """A class whose volumes several nodes can mount at once (ReadWriteMany)."""
    download_timeout_seconds: Seconds | None = None
    """None: worked out from the model's size."""


class PoolsPerRole(StrictModel):
    """A node pool for each kind of worker."""

    prefill: Name
    decode: Name


class ReplicaSettings(StrictModel):
    """Replicas per role; what is left out stays as the recipe has it."""

    frontend: Count | None = None
    prefill: Count | None = None
    decode: Count | None = None


class ServingSettings(StrictModel):
    """What is served, and where."""

    recipe: Text
    namespace: Name
    name: GraphName | None = None
    """Name of the graph; None: the recipe's own."""
    pool: Name | None = None
    """One pool for all workers; or `pools`."""
    pools: PoolsPerRole | None = None
    replicas: ReplicaSettings = ReplicaSettings()
    kv_transport: Literal["tcp"] | None = None
    """How KV blocks travel from prefill to decode; a slow one must be typed."""
    ready_timeout_seconds: Seconds | None = None
    """None: worked out from the model's size."""


class StackSettings(StrictModel):
    """One stack.

    Raises:
        pydantic.ValidationError: unknown keys, wrong types or malformed values.

    """

    cluster: ClusterSettings
    platform: PlatformSettings
    node_pools: Annotated[tuple[NodePoolSettings, ...], Field(min_length=1)]
    model_cache: ModelCacheSettings
    serving: ServingSettings
    lifecycle: Literal["production", "disposable"] = "production"
    """production protects and keeps the model cache; disposable lets `destroy` remove everything."""
