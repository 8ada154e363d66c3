"""What the catalogue says of a resource type: a row of data, and expressions where AWS has no pattern."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lab.aws_provider.api import Api

Description = dict[str, Any]
Parameters = dict[str, Any]
Request = tuple[str, Parameters]
"""Operation and parameters."""


@dataclass(frozen=True)
class Subject:
    """A resource in the middle of an operation."""

    api: Api
    account: str
    identifier: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    """What the program gives now; in a read, what it gave last."""
    state: dict[str, Any] = field(default_factory=dict)
    """What the engine has recorded."""
    tags: dict[str, str] = field(default_factory=dict)
    """The resource's own and the provider's default ones."""

    def __getitem__(self, key: str) -> Any:
        return self.inputs[key]

    def get(self, key: str) -> Any:
        """An input, or what the state has of it where the program does not say."""
        value = self.inputs.get(key)
        return self.state.get(key) if value is None else value

    def arn(self, service: str, resource: str) -> str:
        """The ARN of something in this region."""
        return f"arn:aws:{service}:{self.api.region}:{self.account}:{resource}"


NOTHING: Final = object()

BUILT: Final = "*"
"""An input that `also` puts into the creating request."""


@dataclass(frozen=True)
class Input:
    """How one input of the program reaches AWS, and how it comes back."""

    create: str | None = ""
    """Dotted place in the request that creates; empty: found by name; None: no part of it."""
    read: str | None = ""
    """Dotted place in the description; empty: as in the request; None: AWS does not tell."""
    replaces: bool = False
    update: str = ""
    """Which of the type's updates carries a change."""
    default: Any = NOTHING
    """What it is where the program does not say; without one AWS decides, and any value is right."""
    single: bool = False
    """A list of one in AWS, which the SDK flattens into the item."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Pulumi's keys inside the value that AWS spells otherwise."""
    replaced_keys: frozenset[str] = frozenset()
    """Keys inside the value that no update can change, where others can."""
    from_live: Callable[[Any, Any], Any] | None = None
    """(live, given) -> value, where reading back is no mechanical matter."""
    to_api: Callable[[Any], Any] | None = None
    """Given value -> value of the request, where that is none."""


@dataclass(frozen=True)
class ResourceType:
    """One type of pulumi-aws."""

    pulumi_type: str
    service: str
    inputs: Mapping[str, Input]
    create: str
    """Operation."""
    identify: Callable[[Subject, Description], str]
    """The id, from the answer of the creating request."""
    read: str
    """Operation."""
    ask: Callable[[Subject], Parameters]
    """Parameters of the reading request."""
    found: str
    """Dotted place of the description in the answer; nothing is there where the resource is gone."""
    delete: Callable[[Subject], Sequence[Request]]
    """Nothing where the provider only forgets it."""
    complete: Callable[[Subject, Description], Description | None] = lambda _, found: found
    """The description with what other requests tell; None where it describes something gone."""
    also: Callable[[Subject], Parameters] = lambda _: {}
    """Parameters of the creating request that are no input's."""
    updates: Mapping[str, Callable[[Subject, set[str]], Sequence[Request]]] = field(default_factory=dict)
    """Name -> what is sent for changes of its inputs, in the order in which Terraform's provider does."""
    outputs: Mapping[str, Callable[[Subject, Description], Any]] = field(default_factory=dict)
    volatile: frozenset[str] = frozenset()
    """Outputs that any update may change."""
    name: str = ""
    """The input that a name is made for where the program gives none."""
    identity: tuple[str, ...] = ()
    """Inputs of which AWS allows one resource each: it is deleted before it is replaced."""
    gone: frozenset[str] = frozenset()
    """Error codes that mean there is no such thing."""
    tagging: Callable[[dict[str, str]], Parameters] | None = None
    """Parameters of the creating request that give it tags; None for what bears none."""
    retag: Callable[[Subject, dict[str, str]], Sequence[Request]] | None = None
    """What changes its tags from these to its own; None where no program here changes them."""
    adopts: Callable[[Subject], str] | None = None
    """For what exists already and is only taken over: its id."""
    finish: Callable[[Subject], None] | None = None
    """What is done right after the creating request."""


PROVIDERS_OWN: Final = "nothing"
"""The update of inputs that tell the provider itself how to work, and AWS nothing."""
NOT_SERVED: Final = "not served"
"""The update of inputs that AWS changes in place and no program here does: it is refused."""


def fixed(*names: str, **options: Any) -> dict[str, Input]:
    """Inputs that no update can change."""
    return {name: Input(replaces=True, **options) for name in names}


def not_updated(*names: str, **options: Any) -> dict[str, Input]:
    """Inputs that AWS changes in place, and this stand-in does not."""
    return {name: Input(update=NOT_SERVED, **options) for name in names}


def of_the_provider(*names: str) -> dict[str, Input]:
    """Inputs that tell the provider itself how to work, and AWS nothing."""
    return {name: Input(create=None, read=None, update=PROVIDERS_OWN) for name in names}


def changed_by(update: str, *names: str, **options: Any) -> dict[str, Input]:
    """Inputs that one update carries."""
    return {name: Input(update=update, **options) for name in names}


def at(description: Any, path: str) -> Any:
    """The value at a dotted place of nested dicts and lists; None where there is none."""
    for part in path.split("."):
        if isinstance(description, list):
            description = description[int(part)] if int(part) < len(description) else None
        elif isinstance(description, dict):
            description = description.get(part)
        if description is None:
            return None
    return description


def output(path: str) -> Callable[[Subject, Description], Any]:
    """An output that is found at a place of the description."""
    return lambda _, description: at(description, path)


def by_id(parameter: str) -> Callable[[Subject], Parameters]:
    """Parameters that name a resource by its id; a plural asks for a list of one."""
    many = parameter.endswith("s")
    return lambda subject: {parameter: [subject.identifier] if many else subject.identifier}


def deleted_by(operation: str, parameter: str) -> Callable[[Subject], Sequence[Request]]:
    """One request that names the resource by its id."""
    return lambda subject: [(operation, by_id(parameter)(subject))]


def by_parts(separator: str, *parameters: str) -> Callable[[Subject], Parameters]:
    """Parameters that name a resource whose id is made of several of them."""
    return lambda subject: dict(zip(parameters, subject.identifier.split(separator, 1), strict=True))


def upper(name: str) -> str:
    """EC2's spelling of Pulumi's name."""
    return name[:1].upper() + name[1:]
