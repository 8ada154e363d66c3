"""The one reader of machines.yaml, which holds the facts of every machine."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter

_FILE = Path(__file__).with_name("machines.yaml")
_WRITTEN: Mapping[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)


T = TypeVar("T")


def read_machines(kind: type[dict[str, T]], section: str) -> Mapping[str, T]:
    """Name -> machine, of a section of the file, each of which has a name.

    Raises:
        ValidationError: a fact is missing, or is none of the kind; it names the machine and the fact.
    """
    written = {facts["name"]: facts for facts in _WRITTEN[section]}
    return MappingProxyType(TypeAdapter(kind).validate_python(written))
