"""One resource, as a program declared it or as a document describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from resource_graph.manifest_yaml import Written
from resource_graph.values import Path, Value


@dataclass(frozen=True, slots=True)
class CustomTimeouts:
    """How long the engine waits for a resource, in seconds; None where the provider's default holds."""

    create: float | None = None
    update: float | None = None
    delete: float | None = None


def set_timeouts(create: float | None, update: float | None, delete: float | None) -> CustomTimeouts:
    """The timeouts that somebody set: engine and policy host write 0 for the others."""
    return CustomTimeouts(create or None, update or None, delete or None)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document was read: for messages that a person can follow."""

    file: str
    document: int
    """Counted from 1 within the file."""
    source: Written = field(repr=False, compare=False)
    """Where the document and its fields are written."""
    within: Path = ()
    """Path of the object in its document: `items` and a position for an object in a List."""

    def line_of(self, path: Path) -> int:
        """Line of the field, or of the nearest one around it that is written there."""
        return self.source.nearest((*self.within, *path))[0]

    def __str__(self) -> str:
        return f"{self.file}, document {self.document}, line {self.source.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A node of the resource graph.

    Three fields can be None because not every origin knows them: the policy host tells neither
    `retain_on_delete` nor which inputs are secret, and a manifest has none of the three.
    """

    urn: str
    type: str
    """The Pulumi type token, also for manifests: `kubernetes:core/v1:ConfigMap`."""
    name: str
    """The logical name in the program; for a manifest the object's name."""
    inputs: Mapping[str, Value]
    """Plain values in the shape of the provider's API; unknown ones are UNKNOWN."""
    custom: bool = True
    """False for a component, which exists only in the program."""
    parent: str | None = None
    provider: str | None = None
    """URN of the explicit provider."""
    dependencies: frozenset[str] = frozenset()
    """URNs that it depends on: `depends_on` and every resource whose outputs it reads."""
    property_dependencies: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Input name -> URNs whose outputs that input reads."""
    protect: bool | None = None
    retain_on_delete: bool | None = None
    custom_timeouts: CustomTimeouts = CustomTimeouts()
    delete_before_replace: bool | None = None
    """The resource option; None: the provider decides, or the origin does not tell."""
    ignore_changes: tuple[str, ...] = ()
    """Property paths whose changes the engine leaves alone; empty too where the origin does not tell."""
    replace_on_changes: tuple[str, ...] = ()
    """Property paths whose changes make the engine replace the resource; empty too where the origin does not
    tell."""
    secret_paths: frozenset[Path] | None = None
    """Where secrets are among the inputs, in whole or in part; their values are there in plain, so code that
    prints inputs must look here first."""
    origin: Origin | None = None

    @property
    def kind(self) -> str | None:
        """The Kubernetes kind, or None for what is no Kubernetes object."""
        kind = self.inputs.get("kind")
        return kind if isinstance(kind, str) and isinstance(self.inputs.get("apiVersion"), str) else None

    @property
    def api_version(self) -> str | None:
        """The Kubernetes apiVersion, or None for what is no Kubernetes object."""
        api_version = self.inputs.get("apiVersion")
        return api_version if isinstance(api_version, str) and self.kind is not None else None

    @property
    def metadata(self) -> Mapping[str, Value]:
        """The Kubernetes metadata; empty where absent or unknown."""
        metadata = self.inputs.get("metadata")
        return metadata if isinstance(metadata, (dict, Mapping)) else {}

    @property
    def object_name(self) -> Value:
        """`metadata.name`: None where the provider will choose one, UNKNOWN where only the update knows."""
        return self.metadata.get("name")

    @property
    def namespace(self) -> Value:
        """`metadata.namespace`: None where the client's default holds."""
        return self.metadata.get("namespace")

    @property
    def known_namespace(self) -> str | None:
        """Its namespace; None where that is absent, or known only after the update."""
        return self.namespace if isinstance(self.namespace, str) else None
