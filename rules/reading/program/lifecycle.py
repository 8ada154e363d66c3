"""Whether what a stack holds has to survive it."""

from resource_graph import ResourceGraph
from rules.reading.once import once_per_graph
from rules.reading.shapes import Undecided, text_at

PRODUCTION = "production"
_INPUT = "lifecycle"
_KNOWN = (PRODUCTION, "disposable")


@once_per_graph
def _declared(graph: ResourceGraph) -> str | Undecided | None:
    said: str | None = None
    for component in graph.components():
        if _INPUT not in component.inputs:
            continue
        try:
            value = text_at(component.inputs, _INPUT)
        except Undecided as reason:
            return reason
        if value not in _KNOWN:
            return Undecided(f"{_INPUT} of {component.name} is {value!r}, not {' or '.join(_KNOWN)}")
        # What one part of the program wants to keep is not disposable because another part is.
        said = value if said is None or value == PRODUCTION else said
    return said


def declared_lifecycle(graph: ResourceGraph) -> str | None:
    """production or disposable, as a component's input says; None where none does.

    Raises:
        Undecided: it is unknown or neither of the two.
    """
    declared = _declared(graph)
    if isinstance(declared, Undecided):
        raise declared
    return declared
