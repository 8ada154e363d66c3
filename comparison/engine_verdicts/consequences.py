"""What becomes of a resource because another one changes, whose outputs or content it reads.

A recording knows no outputs: they are UNKNOWN on both sides, and equal. What they come from is known.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from comparison.changes import Change, Effect, FieldChange, Operation, ResourceChange
from comparison.engine_verdicts.resource_types import AWS_PROVIDER, LAUNCH_TEMPLATE, NODE_GROUP, type_of
from comparison.engine_verdicts.verdict import touches
from comparison.nested_values import is_list, value_at
from comparison.pairs import Pair
from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from resource_graph.urns import urn_name
from resource_graph.values import Path
from rules.reading.pods.pods import WORKER_TYPES, PodTemplate, read_pods, readable
from rules.reading.references import Reference, read_references
from rules.reading.shapes import Undecided, attempted

Readers = Sequence[tuple[PodTemplate, frozenset[Reference]]]
"""Pod templates of the newer side, and the objects that each names."""
_KINDS = frozenset({"ConfigMap", "Secret"})
_CONTENT = ("data", "binaryData", "stringData")
_RUN_ONCE = frozenset({"Job", "CronJob"})
_SERVICES = frozenset({"components", "services"})
_SERVICE_AT = 2


_NO_VERSION = frozenset({"defaultVersion", "name", "tags", "tagsAll", "updateDefaultVersion"})
"""Inputs of a launch template that are none of its content
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

    def note(self, resource: Resource, operation: Operation, fields: Sequence[FieldChange]) -> None:
        """Remember what becomes of a resource."""
        if operation is Operation.REPLACE:
            self.replaced.add(resource.urn)
        elif resource.type == LAUNCH_TEMPLATE and any(each.path[0] not in _NO_VERSION for each in fields):
            self.new_templates.add(resource.urn)
        elif resource.type == AWS_PROVIDER:
            self.default_tags[resource.urn] = [each for each in fields if each.path[:-1] == _DEFAULT_TAGS]


def read_readers(head: Iterable[Resource]) -> Readers:
    """Return who reads what; pods that cannot be read are left out."""
    found: list[tuple[PodTemplate, frozenset[Reference]]] = []
    for template in readable(read_pods(ResourceGraph(head))):
        references = attempted(read_references, template)
        if not isinstance(references, Undecided):
            found.append((template, frozenset(references)))
    return found


def readers_of(resource: Resource, readers: Readers) -> list[PodTemplate]:
    """Return the templates of pods that run on and read the object."""
    return [
        template
        for template, references in readers
        if template.resource.kind not in _RUN_ONCE
        and (template.resource.namespace or "default") == (resource.namespace or "default")
        and any((each.kind, each.name) == (resource.kind, resource.object_name) for each in references)
    ]


def has_other_content(resource: Resource, fields: Iterable[FieldChange]) -> bool:
    """Return whether it is a ConfigMap or a Secret, and what pods would read of it differs."""
    return resource.kind in _KINDS and any(map(is_content, fields))


def is_content(change: FieldChange) -> bool:
    """Return whether the field is what pods would read."""
    return touches(change, _CONTENT)


def restarts(template: PodTemplate, change: ResourceChange | None, readers: Readers) -> bool:
    """Return whether the change of its own object starts the pods of a template anew."""
    if change is None:
        return False
    if change.operation in {Operation.CREATE, Operation.REPLACE}:
        return True
    rolled = [each.path for each in change.fields if each.effect is Effect.ROLLS_PODS]
    if template.shape == "workload" or not all(
        len(path) > _SERVICE_AT and path[1] in _SERVICES for path in rolled
    ):
        return bool(rolled)
    names = {path[_SERVICE_AT] for path in rolled}
    # Another template of one worker restarts all of them (facts/previews.md §3d).
    return template.name in names or (_is_worker(template) and bool(names & _workers(template, readers)))


def changed_outputs(pair: Pair, upstream: Upstream) -> Iterator[FieldChange]:
    """Yield the inputs that become other ones though both recordings have UNKNOWN there."""
    for name, now in sorted(pair.after.property_dependencies.items()):
        places = list(_unknown_places((name,), pair.after.inputs.get(name)))
        if not places:
            continue
        urns = pair.before.property_dependencies.get(name, frozenset())
        before = frozenset(upstream.renamed.get(urn, urn) for urn in urns)
        for path in places:
            yield from _changed(path, before, now, upstream, pair)


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


def _workers(template: PodTemplate, readers: Readers) -> set[str]:
    urn = template.resource.urn
    return {each.name for each, _ in readers if each.resource.urn == urn and _is_worker(each)}


def _is_worker(template: PodTemplate) -> bool:
    return template.component_type in WORKER_TYPES


def _changed(
    path: Path, before: frozenset[str], now: frozenset[str], upstream: Upstream, pair: Pair
) -> Iterator[FieldChange]:
    if not _is_partly_unknown(value_at(pair.before.inputs, *path)):
        # The walk over the inputs has seen it already.
        return
    if before != now:
        yield FieldChange(path=path, change=Change.CHANGED, before=_outputs(before), after=_outputs(now))
    elif now & upstream.replaced or (path == _TEMPLATE_VERSION and _has_new_template(pair, now, upstream)):
        yield FieldChange(path=path, change=Change.CHANGED, before=UNKNOWN, after=UNKNOWN)


def _has_new_template(pair: Pair, now: frozenset[str], upstream: Upstream) -> bool:
    """Whether another version of the launch template comes, which the group takes at once."""
    return pair.after.type == NODE_GROUP and bool(now & upstream.new_templates)


def _unknown_places(path: Path, value: Value) -> Iterator[Path]:
    if _is_partly_unknown(value):
        yield path
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _unknown_places((*path, key), each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _unknown_places((*path, index), each)


def _is_partly_unknown(value: object) -> bool:
    return value is UNKNOWN or (is_list(value) and any(each is UNKNOWN for each in value))


def _outputs(urns: frozenset[str]) -> str:
    return ", ".join(sorted(f"an output of {urn_name(urn)}" for urn in urns)) or "no output"
