"""What the catalogue says of a resource type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lab.aws_provider.api import Api

Description = dict[str, Any]


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

    @property
    def region(self) -> str:
        """Where it is."""
        return self.api.region

    def __getitem__(self, key: str) -> Any:
        return self.inputs[key]

    def get(self, key: str) -> Any:
        """An input, or what the state has of it where the program does not say."""
        value = self.inputs.get(key)
        return self.state.get(key) if value is None else value

    def arn(self, service: str, resource: str) -> str:
        """The ARN of something in this region."""
        return f"arn:aws:{service}:{self.region}:{self.account}:{resource}"


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
class Update:
    """A request that carries changes of some inputs."""

    apply: Callable[[Subject, set[str]], None]
    """Sends it; the names are those of the changed inputs."""


@dataclass(frozen=True)
class Tagging:
    """How a service takes and tells tags."""

    create: Callable[[dict[str, str]], dict[str, Any]]
    """Parameters of the creating request."""
    read: Callable[[Description], Any]
    """Tags in a description, as a map or a list of keys and values."""
    change: Callable[[Subject, Description, dict[str, str], list[str]], None]
    """Sets tags and removes keys."""


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
    describe: Callable[[Subject], Description | None]
    """What there is now, None where nothing is."""
    delete: Callable[[Subject], None]
    also: Callable[[Subject], dict[str, Any]] = lambda _: {}
    """Parameters of the creating request that are no input's."""
    updates: Mapping[str, Update] = field(default_factory=dict)
    outputs: Mapping[str, Callable[[Subject, Description], Any]] = field(default_factory=dict)
    volatile: frozenset[str] = frozenset()
    """Outputs that any update may change."""
    name: str = ""
    """The input that a name is made for where the program gives none."""
    identity: tuple[str, ...] = ()
    """Inputs of which AWS allows one resource each: it is deleted before it is replaced."""
    gone: frozenset[str] = frozenset()
    """Error codes that mean there is no such thing."""
    tagging: Tagging | None = None
    adopts: Callable[[Subject], str] | None = None
    """For what exists already and is only taken over: its id."""
    prepare: Callable[[Subject], None] | None = None
    """What is done before the creating request."""
    finish: Callable[[Subject], None] | None = None
    """What is done right after it."""
    regional: bool = True


_NONE = "nothing"
NO_UPDATE: Final = {_NONE: Update(lambda _subject, _changed: None)}
"""For inputs of the provider itself."""


def fixed(*names: str, **options: Any) -> dict[str, Input]:
    """Inputs that no update can change."""
    return {name: Input(replaces=True, **options) for name in names}


def of_the_provider(*names: str) -> dict[str, Input]:
    """Inputs that tell the provider itself how to work, and AWS nothing."""
    return {name: Input(create=None, read=None, update=_NONE) for name in names}


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


def first(subject: Subject, service: str, operation: str, parameters: dict[str, Any], path: str) -> Any:
    """The first item of a list in an answer; None where it is empty."""
    return at(subject.api.call(service, operation, parameters), f"{path}.0")


def output(path: str) -> Callable[[Subject, Description], Any]:
    """An output that is found at a place of the description."""
    return lambda _, description: at(description, path)
