"""What `dynamo-stack check --file` judges: anybody's manifests or a stack's state, beside pools."""

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hardware import INSTANCE_TYPES
from operations.errors import CommandError
from resource_graph import Resource, ResourceGraph
from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from resource_graph.state_export import looks_like_state, state_graph
from rules.reading.pools import pool_resource
from rules.reading.releases import platform_resource

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?")
_NODES = re.compile(r"[1-9][0-9]{0,4}")


def read_files(paths: Sequence[Path], pools: Sequence[str], platform: str | None = None) -> ResourceGraph:
    """The objects of the files, and the pools and platform that a person named beside them.

    The files are manifests, read as one set, or one file that `pulumi stack export` wrote.

    Raises:
        CommandError: a pool or the version cannot be read, or a state is not the only file.
        InputError: a file cannot be read, or not as manifests or as the state that it is.
    """
    named = [*read_pools(pools), *_platforms(platform)]
    files = read_inputs(paths)
    states = [file for file in files if looks_like_state(file.text)]
    if states and len(paths) > 1:
        raise CommandError(
            f"{states[0].name} is a stack's state, which is judged alone; leave the other files out"
        )
    graph = state_graph(states[0]) if states else manifest_graph(files)
    return ResourceGraph([*named, *graph], graph.lacks)


def read_pools(options: Sequence[str]) -> list[Resource]:
    """The pools that `--pool TYPE=NODES` names; a type can be named again for a pool of its own."""
    pools: list[Resource] = []
    for option in options:
        instance_type, nodes = _pool(option)
        earlier = sum(pool.inputs["instanceType"] == instance_type for pool in pools)
        name = instance_type if not earlier else f"{instance_type}-{earlier + 1}"
        pools.append(pool_resource(name, instance_type, nodes))
    return pools


def _platforms(version: str | None) -> Iterator[Resource]:
    if version is None:
        return
    if not _VERSION.fullmatch(version):
        raise CommandError(
            f"--platform {version}\n  {version!r} is no release of the platform\n"
            "  allowed: a version of two or three numbers\n  try: --platform 1.2.1"
        )
    yield platform_resource(version)


def _pool(option: str) -> tuple[str, int]:
    name, separator, nodes = option.partition("=")
    known = sorted(INSTANCE_TYPES)
    if name not in INSTANCE_TYPES:
        nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
        raise _refused(
            option,
            f"{name!r} is no instance type known here",
            f"TYPE=NODES, where TYPE is one of {', '.join(known)}",
            f"{nearest}{separator}{nodes}" if separator else f"{nearest}=1",
        )
    if not _NODES.fullmatch(nodes):
        found = f"{nodes!r} is no number of nodes" if separator else "says no number of nodes"
        raise _refused(
            option, found, "TYPE=NODES, where NODES is a whole number from 1 to 99999", f"{name}=1"
        )
    return name, int(nodes)


def _refused(option: str, found: str, allowed: str, attempt: str) -> CommandError:
    return CommandError(f"--pool {option}\n  {found}\n  allowed: {allowed}\n  try: --pool {attempt}")
