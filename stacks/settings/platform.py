"""The Dynamo platform's part of the settings: chart, discovery, NATS and etcd."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from recipes.strict_model import StrictModel
from stacks.settings.setting_types import (
    HttpAddress,
    Name,
    NamespaceName,
    NatsAddress,
    Seconds,
    StorageClassName,
    Version,
    VolumeSize,
)

Discovery = Literal["kubernetes", "etcd"]


class ExistingNamespace(StrictModel):
    """A namespace that others made. This stack neither creates, labels nor removes it."""

    kind: Literal["existing"]
    name: NamespaceName
    """Its name in the cluster."""


# The tag of a text is what place_of() knows the type by.
Namespace = Annotated[
    Annotated[NamespaceName, Tag("str")] | Annotated[ExistingNamespace, Tag("existing")],
    Discriminator(lambda value: "existing" if isinstance(value, dict | ExistingNamespace) else "str"),
]


class OwnNats(StrictModel):
    """NATS servers with JetStream that this stack runs."""

    kind: Literal["own"]
    members: Literal[1, 3]
    """Fixed when the stack is created."""
    storage_class_name: StorageClassName
    """Class of its volumes; each is mounted by one node."""
    volume_size: VolumeSize = "10Gi"
    """Size of each member's volume, for JetStream."""


class BundledNats(StrictModel):
    """The one server that the platform's chart brings along."""

    kind: Literal["bundled"]
    storage_class_name: StorageClassName
    """Class of its volumes; each is mounted by one node."""


class ExternalNats(StrictModel):
    """Servers that exist already."""

    kind: Literal["external"]
    address: NatsAddress
    """Neither TLS nor credentials, which the platform's chart cannot pass on."""


class OwnEtcd(StrictModel):
    """etcd members that this stack runs."""

    kind: Literal["own"]
    members: Literal[1, 3]
    """Fixed when the stack is created."""
    storage_class_name: StorageClassName
    """Class of its volumes; each is mounted by one node."""
    volume_size: VolumeSize = "8Gi"
    """Size of each member's volume."""
    rejoining: bool = False
    """True while a member with a new, empty volume joins the existing ones again."""


class BundledEtcd(StrictModel):
    """The one member that the platform's chart brings along, from an archived image."""

    kind: Literal["bundled"]
    storage_class_name: StorageClassName
    """Class of its volumes; each is mounted by one node."""


class ExternalEtcd(StrictModel):
    """Members that exist already."""

    kind: Literal["external"]
    addresses: Annotated[tuple[HttpAddress, ...], Field(min_length=1)]
    """Neither TLS nor credentials, as with NATS."""


Nats = Annotated[OwnNats | BundledNats | ExternalNats, Field(discriminator="kind")]
Etcd = Annotated[OwnEtcd | BundledEtcd | ExternalEtcd, Field(discriminator="kind")]


class OwnPlatform(StrictModel):
    """The platform is part of this stack."""

    kind: Literal["own"]
    version: Version
    """Release of the chart dynamo-platform, and with it of operator and custom resource definitions."""
    namespace: Namespace = "dynamo-system"
    """Namespace of operator, NATS and etcd; a name alone is created. Which of both it is, is fixed when the
    stack is created."""
    discovery: Discovery = "kubernetes"
    """Way in which workers and frontends find each other. Fixed when the stack is created."""
    nats: Nats
    """Message broker of the runtime's events."""
    etcd: Etcd | None = None
    """Required with discovery etcd, refused without."""
    install_timeout_seconds: Seconds = 600
    """How long the release, and each of its own servers, may take to become ready."""


class ExistingPlatform(StrictModel):
    """Another stack, or somebody else, runs the platform; a cluster can have only one."""

    kind: Literal["existing"]
    version: Version
    """Release that runs there."""
    namespace: Name = "dynamo-system"
    """Namespace in which it runs."""


PlatformSettings = Annotated[OwnPlatform | ExistingPlatform, Field(discriminator="kind")]


def namespace_name(namespace: str | ExistingNamespace) -> str:
    """Its name; the stack creates it or it exists already."""
    return namespace if isinstance(namespace, str) else namespace.name
