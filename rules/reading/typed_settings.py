"""Settings that a person typed in a stack's file, and which of them a finding comes from."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph
from rules.reading.shapes import Undecided, mapping_at, mappings_at, memoized, text_at

_INPUT = "typedSettings"
KV_TRANSPORT = "serving.kvTransport"
"""The setting that chooses the way of the KV cache."""


_Typed = tuple[str, str, str]
"""Path of a setting, such as serving.overrides.decode.max_batch_size; name of the worker or frontend that it
changes, empty where it changes the graph; the engine option, the variable or `image` that it decides."""


def typed_options(graph: ResourceGraph, resource: Resource, part: str) -> Mapping[str, str]:
    """Option or variable of one worker -> the setting that decides it; empty outside of a stack."""
    return {decides: key for key, of, decides in _typed_above(graph, resource) if of == part}


def settings_behind(graph: ResourceGraph, resource: Resource, subject: str, message: str) -> tuple[str, ...]:
    """The settings that an observation comes from: those that it names, and those whose option it names."""

    def is_about(part: str) -> bool:
        # A finding on a worker may quote what the frontend is started with.
        return part == subject or is_named(part, message)

    found = (
        key
        for key, part, decides in _typed_above(graph, resource)
        if is_named(key, message) or (is_about(part) and _names_option(decides, message))
    )
    return tuple(dict.fromkeys(found))


def is_named(name: str, text: str) -> bool:
    """Whether the text has the name as a word of its own, not as a part of a longer path."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?!\.?[\w-])", text) is not None


def _names_option(name: str, text: str) -> bool:
    flag = name.replace("_", "-")
    return any(is_named(each, text) for each in (name, f"--{flag}", f"--no-{flag}"))


def _typed_above(graph: ResourceGraph, resource: Resource) -> Sequence[_Typed]:
    typed = _by_component(graph)
    if not typed:
        return ()
    return next((typed[above.urn] for above in graph.ancestors(resource) if above.urn in typed), ())


@memoized
def _by_component(graph: ResourceGraph) -> Mapping[str, Sequence[_Typed]]:
    """URN of a component -> what it tells."""
    found = ((component.urn, tuple(_told(component))) for component in graph.components())
    return {urn: told for urn, told in found if told}


def _told(component: Resource) -> Iterator[_Typed]:
    try:
        for entry in mappings_at(component.inputs, _INPUT):
            key, part, decides = (text_at(entry, name) for name in ("key", "part", "decides"))
            if key and part and decides:
                yield key, part, decides
        if mapping_at(component.inputs, "kvTransport").get("typed") is True:
            yield KV_TRANSPORT, "", "kvTransport"
    except Undecided:
        # Another program's component may have inputs of these names.
        return
