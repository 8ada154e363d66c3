"""What becomes of a resource because another one changes, whose outputs it reads.

A recording knows no outputs: they are UNKNOWN on both sides, and equal. What they come from is known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from comparison.changes import Change, FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.resource_types import AWS_PROVIDER, LAUNCH_TEMPLATE, NODE_GROUP, type_of
from comparison.nested_values import is_list
from comparison.pairs import Pair
from resource_graph import UNKNOWN, Value, value_at
from resource_graph.urns import urn_name
from resource_graph.values import Path

_NO_VERSION = frozenset({"defaultVersion", "name", "options", "tags", "tagsAll", "updateDefaultVersion"})
"""Inputs of a launch template, and the engine's options, that are none of its content
(https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplateVersion.html)."""
_TEMPLATE_VERSION = ("launchTemplate", "version")
_DEFAULT_TAGS = ("defaultTags", "tags")


@dataclass(slots=True)
class Upstream:
    """What has happened so far, while resources are judged in the order of their creation."""

    renamed: Mapping[str, str]
    """URN of before -> URN of now, of what is one resource under two names."""
    replaced: set[str] = field(default_factory=set[str])
    """URNs of now of what becomes another object."""
    new_templates: set[str] = field(default_factory=set[str])
    """URNs of launch templates of which another version comes."""
    default_tags: dict[str, list[FieldChange]] = field(default_factory=dict[str, list[FieldChange]])
    """URN of a provider -> the tags that it gives, or no longer gives, to all that it makes."""

    def note(self, change: ResourceChange) -> None:
        """Remember what becomes of a resource."""
        fields = change.fields
        if change.operation is Operation.REPLACE:
            self.replaced.add(change.urn)
        elif change.type == LAUNCH_TEMPLATE and any(each.path[0] not in _NO_VERSION for each in fields):
            self.new_templates.add(change.urn)
        elif change.type == AWS_PROVIDER:
            self.default_tags[change.urn] = [each for each in fields if each.path[:-1] == _DEFAULT_TAGS]


def changed_outputs(pair: Pair, upstream: Upstream) -> Iterator[FieldChange]:
    """Yield the inputs that become other ones though both recordings have UNKNOWN there."""
    for name, now in sorted(pair.after.property_dependencies.items()):
        urns = pair.before.property_dependencies.get(name, frozenset())
        before = frozenset(upstream.renamed.get(urn, urn) for urn in urns)
        for path in unknown_places((name,), pair.after.inputs.get(name)):
            # A node group takes another version of its launch template at once.
            is_version = pair.after.type == NODE_GROUP and path == _TEMPLATE_VERSION
            if not _is_partly_unknown(value_at(pair.before.inputs, path)):
                # The walk over the inputs has seen it already.
                continue
            if before != now:
                old, new = _outputs(before), _outputs(now)
                yield FieldChange(path=path, change=Change.CHANGED, before=old, after=new)
            elif now & upstream.replaced or (is_version and now & upstream.new_templates):
                yield FieldChange(path=path, change=Change.CHANGED, before=UNKNOWN, after=UNKNOWN)


def changed_tags(pair: Pair, upstream: Upstream) -> Iterator[FieldChange]:
    """Yield the tags that come from the provider, and become other ones with it."""
    if not type_of(pair.after).is_tagged:
        return
    own = pair.after.inputs.get("tags")
    for each in upstream.default_tags.get(pair.after.provider or "", ()):
        name = each.path[-1]
        # A tag of the resource's own is stronger.
        if not (isinstance(own, Mapping) and name in own):
            yield replace(each, path=("tagsAll", name))


def unknown_places(path: Path, value: Value) -> Iterator[Path]:
    """Yield the places below this one that only the update knows."""
    if _is_partly_unknown(value):
        yield path
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from unknown_places((*path, key), each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from unknown_places((*path, index), each)


def _is_partly_unknown(value: object) -> bool:
    return value is UNKNOWN or (is_list(value) and any(each is UNKNOWN for each in value))


def _outputs(urns: frozenset[str]) -> str:
    return ", ".join(sorted(f"an output of {urn_name(urn)}" for urn in urns)) or "no output"
