"""The state of a stack, as `pulumi stack export` prints it, as a resource graph."""

import re

from resource_graph.engine_state import read_export
from resource_graph.graph import DuplicateResourceError, ResourceGraph
from resource_graph.input_text import InputError, InputText

# Each value ends where the next key can begin: a shorter pattern would try every way to part a long line.
_START = re.compile(
    r'\s*\{\s*(?:"(?:version|features)"\s*:(?:[^\[{},]*|\s*\[[^\[\]{}]*\]\s*),\s*)*'
    r'"(?:deployment|checkpoint)"\s*:'
)


def looks_like_state(text: str) -> bool:
    """Whether a file's text is meant as a stack's state, also where it then turns out to be broken."""
    return _START.match(text) is not None


def state_graph(file: InputText) -> ResourceGraph:
    """Everything that the stack of an exported state manages, in the order in which it was created.

    A secret's value is UNKNOWN, as it is where nobody gives the passphrase. Left out is what the program
    only reads, and what is about to be deleted because its successor exists or will.

    Raises:
        InputError: the file is no JSON, or holds no state of a known version.
    """
    name, text = file
    try:
        records = read_export(text).resources
        return ResourceGraph(each.resource for each in records if not each.is_going and not each.external)
    except (InputError, DuplicateResourceError) as error:
        raise InputError(f"{name}: {error}") from error
