"""The one reader of machines.yaml, which holds the facts of every machine."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import yaml
from pydantic import TypeAdapter

_FILE = Path(__file__).with_name("machines.yaml")
_WRITTEN: Mapping[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Named)


def read_machines(kind: type[T], section: str) -> Mapping[str, T]:
    """Name -> machine, of a section of the file.

    Raises:
        ValidationError: a fact is missing, or is none of the kind.
    """
    adapter: TypeAdapter[T] = TypeAdapter(kind)
    machines = map(adapter.validate_python, _WRITTEN[section])
    return MappingProxyType({machine.name: machine for machine in machines})
