"""The state of a stack, as `pulumi stack export` prints it, as a resource graph."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from resource_graph.engine_state import read_resources
from resource_graph.graph import DuplicateResourceError, ResourceGraph
from resource_graph.input_text import InputError, InputText

# 4 is 3 with features that only newer engines understand; resources look alike in both
# (pulumi/pulumi sdk/go/common/apitype/core.go, DeploymentV3 and DeploymentV4).
_VERSIONS = (3, 4)
_EXPECTED = "expected what `pulumi stack export` prints"
# Each value ends where the next key can begin: a shorter pattern would try every way to part a long line.
_START = re.compile(
    r'\s*\{\s*(?:"(?:version|features)"\s*:(?:[^\[{},]*|\s*\[[^\[\]{}]*\]\s*),\s*)*'
    r'"(?:deployment|checkpoint)"\s*:'
)

_Entry = Mapping[str, Any]


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
    path = file.name
    deployment = _deployment(_content(file), path)
    try:
        return ResourceGraph(
            each.resource for each in read_resources(deployment) if not each.is_going and not each.is_external
        )
    except InputError as error:
        raise InputError(f"{path}: {error}; {_EXPECTED}") from error
    except DuplicateResourceError as error:
        raise InputError(f"{path}: the URN {error.urn} stands there twice; {_EXPECTED}") from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply; {_EXPECTED}") from error


def _content(file: InputText) -> object:
    path = file.name
    try:
        return json.loads(file.text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not JSON: {error.msg}; {_EXPECTED}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}: not JSON that can be read: {error}; {_EXPECTED}") from error


def _deployment(content: object, path: str) -> _Entry:
    if not isinstance(content, Mapping):
        raise InputError(f"{path}: not a JSON object; {_EXPECTED}")
    state = cast("_Entry", content)
    if "checkpoint" in state:
        raise InputError(f"{path}: a checkpoint out of a backend, with its history; {_EXPECTED}")
    deployment = state.get("deployment")
    if not isinstance(deployment, Mapping):
        raise InputError(f"{path}: no deployment in it; {_EXPECTED}")
    version = state.get("version")
    if version not in _VERSIONS:
        known = " or ".join(map(str, _VERSIONS))
        raise InputError(f"{path}: version {version!r} of a state, where {known} can be read; {_EXPECTED}")
    return cast("_Entry", deployment)
