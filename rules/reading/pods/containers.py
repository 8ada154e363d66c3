"""A container's environment and the files that are mounted into it."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.reading.commands.spelling import slip_of
from rules.reading.commands.words import UNKNOWN_WORD, Word, expand_references
from rules.reading.commands.written_files import Files
from rules.reading.engines.engine_yaml import load_engine_yaml
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at

_LONGEST_ENVIRONMENT = 1_000_000
"""Linux hands a process a fourth of its stack's 8 MiB, arguments included (execve(2)); half of that is more
than any pod has."""
_MOST_VARIABLES = 2_000
_SLIPS = 2
"""Letters by which a directory is taken for the mounted one."""


class EngineFileProblem(Undecided):
    """An engine file that is in the graph but cannot serve as one: the engine would not start."""


@dataclass(frozen=True, slots=True)
class EngineFile:
    """What an engine reads from a mounted ConfigMap, or from a file of its start script."""

    source: str
    """For messages: `decode.yaml of ConfigMap engine-config`."""
    content: Mapping[str, Value]


def read_environment(
    graph: ResourceGraph, owner: Resource, lists: Sequence[Sequence[Mapping[str, Value]]]
) -> dict[str, Word]:
    """Variables of a container from its `env` lists; a later list overrides an earlier one.

    Variables that a Secret or a field of the pod provides are known by name only.

    Raises:
        Undecided: an entry has no readable shape, or all together are more than a process can be given.
    """
    environment: dict[str, Word] = {}
    length = 0
    for entries in lists:
        for entry in entries:
            name = text_at(entry, "name")
            if name is None:
                continue
            environment[name] = _variable(graph, owner, entry, environment)
            length += len(environment[name].text)
            if length > _LONGEST_ENVIRONMENT or len(environment) > _MOST_VARIABLES:
                raise Undecided(
                    f"its variables are more than {_MOST_VARIABLES:,} or {_LONGEST_ENVIRONMENT:,} characters"
                )
    return environment


def read_engine_file(
    graph: ResourceGraph,
    owner: Resource,
    pod: Mapping[str, Value],
    container: Mapping[str, Value],
    path: str,
    *,
    written: Files,
) -> EngineFile:
    """The YAML mapping that the container finds at the path; `written` is what its start script puts there.

    Raises:
        EngineFileProblem: the file is missing from its ConfigMap, is no YAML or no mapping.
        Undecided: the file lies outside every ConfigMap of the graph, or the script writes what is unknown.
    """
    own = written.get(posixpath.normpath(path))
    if own is not None:
        if not own.known:
            raise Undecided(f"the start script writes {path}, and what it writes is known only to a shell")
        where = f"{path}, which the start script writes"
        return EngineFile(where, _engine_mapping(own.text, where))
    config_map_name, key = _mounted_key(pod, container, PurePosixPath(path))
    config_map = find_config_map(graph, owner, config_map_name)
    where = f"ConfigMap {config_map_name}"
    if config_map.origin is not None:
        where += f" ({config_map.origin})"
    data = mapping_at(config_map.inputs, "data")
    if key not in data:
        keys = ", ".join(sorted(data)) or "none"
        raise EngineFileProblem(f"{where} has no key {key}, which {path} needs; its keys: {keys}")
    text = data[key]
    if text is UNKNOWN:
        raise Undecided(f"{key} of {where} is known only after the update")
    if not isinstance(text, str):
        raise EngineFileProblem(f"{key} of {where} is not a text")
    return EngineFile(f"{key} of ConfigMap {config_map_name}", _engine_mapping(text, f"{key} of {where}"))


def find_config_map(graph: ResourceGraph, owner: Resource, name: str) -> Resource:
    """The ConfigMap of that name that the owner's pods would get.

    Raises:
        Undecided: the graph holds none, or several.
    """
    candidates = graph.kubernetes_objects_named("ConfigMap", name, owner.namespace)
    same_file = [
        config_map
        for config_map in candidates
        if config_map.origin is not None
        and owner.origin is not None
        and config_map.origin.file == owner.origin.file
    ]
    found = same_file or candidates
    if not found:
        raise Undecided(f"ConfigMap {name} is not part of what was read")
    if len(found) > 1:
        raise Undecided(f"there are {len(found)} ConfigMaps named {name}; the last one applied wins")
    return found[0]


def _variable(
    graph: ResourceGraph, owner: Resource, entry: Mapping[str, Value], environment: Mapping[str, Word]
) -> Word:
    value = entry.get("value")
    if isinstance(value, str):
        return expand_references(value, environment)
    reference = field(entry, "valueFrom", "configMapKeyRef") if "valueFrom" in entry else None
    if isinstance(reference, Mapping):
        return _from_config_map(graph, owner, reference)
    return UNKNOWN_WORD if value is not None or "valueFrom" in entry else Word("")


def _from_config_map(graph: ResourceGraph, owner: Resource, reference: Mapping[str, Value]) -> Word:
    name, key = text_at(reference, "name"), text_at(reference, "key")
    if name is None or key is None:
        return UNKNOWN_WORD
    try:
        value = field(find_config_map(graph, owner, name).inputs, "data", key)
    except Undecided:
        return UNKNOWN_WORD
    return Word(value) if isinstance(value, str) else UNKNOWN_WORD


def _mounted_key(
    pod: Mapping[str, Value], container: Mapping[str, Value], path: PurePosixPath
) -> tuple[str, str]:
    mounts = [
        (PurePosixPath(mount_path), mount)
        for mount in mappings_at(container, "volumeMounts")
        if (mount_path := text_at(mount, "mountPath")) is not None and path.is_relative_to(mount_path)
    ]
    if not mounts:
        every = [text_at(mount, "mountPath") for mount in mappings_at(container, "volumeMounts")]
        meant = slip_of(str(path.parent), [each for each in every if each is not None], _SLIPS)
        if meant is not None:
            raise EngineFileProblem(f"the engine file {path} lies in no mounted volume; {meant} is mounted")
        raise Undecided(f"the engine file {path} lies in no mounted volume")
    mount_path, mount = max(mounts, key=lambda candidate: len(candidate[0].parts))
    inside = PurePosixPath(text_at(mount, "subPath") or ".") / path.relative_to(mount_path)
    volume_name = text_at(mount, "name")
    for volume in mappings_at(pod, "volumes"):
        if text_at(volume, "name") == volume_name and "configMap" in volume:
            return _config_map_key(mapping_at(volume, "configMap"), str(inside), path)
    raise Undecided(f"the engine file {path} lies in volume {volume_name}, which is no ConfigMap")


def _config_map_key(source: Mapping[str, Value], inside: str, path: PurePosixPath) -> tuple[str, str]:
    name = text_at(source, "name")
    if name is None:
        raise Undecided(f"the ConfigMap with the engine file {path} has no name")
    items = mappings_at(source, "items")
    if not items:
        return name, inside
    for item in items:
        if text_at(item, "path") == inside:
            return name, text_at(item, "key") or inside
    raise EngineFileProblem(f"ConfigMap {name} is mounted without an item for {path}")


def _engine_mapping(text: str, where: str) -> Mapping[str, Value]:
    loaded = load_engine_yaml(text)
    if loaded.problem is not None:
        at = "" if loaded.line is None else f", line {loaded.line}"
        raise EngineFileProblem(f"{where}{at}: not YAML: {loaded.problem}")
    if not isinstance(loaded.content, dict):
        found = "empty" if loaded.content is None else f"a {type(loaded.content).__name__}"
        raise EngineFileProblem(f"{where} is {found}, not a mapping of engine settings")
    return {str(key): value for key, value in cast("dict[object, Value]", loaded.content).items()}
