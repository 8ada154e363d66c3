"""What is said of a stack: titles with their sentences, and names that have something in common."""

from collections.abc import Iterable, Sequence

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

EXPLAINED = ConfigDict(
    alias_generator=to_camel,
    validate_by_name=True,
    use_attribute_docstrings=True,
    json_schema_serialization_defaults_required=True,
)
"""Of what is printed as text, page and JSON alike: there its names are in camel case."""


@dataclass(frozen=True, slots=True, config=EXPLAINED)
class Section:
    """A title and its sentences; without sentences there is nothing to say, and nothing is shown."""

    title: str
    texts: tuple[str, ...]


def section(title: str, texts: Iterable[str]) -> Section:
    """Return the section of sentences that are worked out one by one."""
    return Section(title, tuple(texts))


def shortened(names: Sequence[str]) -> str:
    """Return the names; those of definitions end in their group, which is said once."""
    groups = {name.partition(".")[2] for name in names}
    if len(names) == 1 or len(groups) > 1 or groups == {""}:
        return ", ".join(names)
    return f"of {groups.pop()} ({', '.join(name.partition('.')[0] for name in names)})"
