"""Stands in for the parser of vLLM's own options, which exists in its image alone.

dynamo.vllm builds its parser from vLLM's AsyncEngineArgs and hands to it what is not its own. Here the
options are those that vllm 0.20.1 publishes, and on a later line of Dynamo those of its vllm: each with the
kind of value that it takes, its choices, and of some JSON objects the keys (vllm_options.json; from
vllm/engine/arg_utils.py and vllm/config/ of the wheels on PyPI). What vLLM refuses beyond that (sizes that do
not fit together, a GPU without kernels) is not seen here.
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

_PUBLISHED = json.loads(Path(__file__).parents[1].joinpath("vllm_options.json").read_text(encoding="utf-8"))
_LATER = _PUBLISHED["later"].get(version("ai-dynamo").rpartition(".")[0], {})
"""What vLLM's release of this runtime has beside those options, or otherwise."""
_UNITS = {"k": 1000, "m": 1000**2, "g": 1000**3, "K": 1024, "M": 1024**2, "G": 1024**3}


class FlexibleArgumentParser(argparse.ArgumentParser):
    """Takes options with underscores for dashes, and no abbreviation."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"prog": "vllm", "allow_abbrev": False, **options})

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride] - argparse's is overloaded
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Parse words as vLLM does."""
        return super().parse_args([_dashed(word) for word in args], namespace)


class AsyncEngineArgs(SimpleNamespace):
    """The options that a worker was given; what it was not given is None."""

    @staticmethod
    def add_cli_args(
        parser: argparse.ArgumentParser, async_args_only: bool = False
    ) -> argparse.ArgumentParser:
        """Add every published option."""
        del async_args_only
        for options in (_PUBLISHED["options"], _LATER.get("options", {})):
            for kind, names in options.items():
                for name in names.split():
                    parser.add_argument(f"--{name}", default=None, **_takes(kind, name))
        return parser

    @classmethod
    def from_cli_args(cls, given: argparse.Namespace) -> AsyncEngineArgs:
        """Return what was given; a JSON object has its keys as attributes."""
        return cls(
            **{
                name: SimpleNamespace(**{**dict.fromkeys(_keys(name)), **value})
                if isinstance(value, dict)
                else value
                for name, value in vars(given).items()
            }
        )


def _takes(kind: str, name: str) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "switch": {"action": argparse.BooleanOptionalAction},
        "number": {"type": int},
        "size": {"type": _size},
        "fraction": {"type": float},
        "list": {"nargs": "+"},
        "object": {"type": lambda text: _object(text, name)},
        "choice": {"choices": _words("choices", name)},
        "text": {},
    }
    return kinds[kind]


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"no JSON: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("no JSON object")
    known = _keys(name)
    unknown = [key for key in value if known and key not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"unexpected keys: {', '.join(unknown)}")
    return value


def _keys(name: str) -> list[str]:
    return _words("keys", name.replace("_", "-"))


def _words(table: str, name: str) -> list[str]:
    return _LATER.get(table, {}).get(name, _PUBLISHED[table].get(name, "")).split()


def _size(text: str) -> int:
    if text[-1:] in _UNITS:
        return int(float(text[:-1]) * _UNITS[text[-1]])
    return int(text)


def _dashed(word: str) -> str:
    if not word.startswith("--"):
        return word
    option, equals, value = word.partition("=")
    return f"{option.replace('_', '-')}{equals}{value}"
