"""Recognises credentials by their shape or by the name that they are given, and never shows them."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Value
from resource_graph.resource import Path

_SHAPES: Mapping[str, tuple[tuple[str, ...], re.Pattern[str]]] = {
    "a Hugging Face token": (("hf_",), re.compile(r"\bhf_[A-Za-z0-9]{30,}\b")),
    "an AWS access key": (("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    "an NGC API key": (("nvapi-",), re.compile(r"\bnvapi-[A-Za-z0-9_-]{40,}")),
    "a GitHub token": (
        ("gh", "github_pat_"),
        re.compile(r"\b(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,255})\b"),
    ),
    "a private key": (("PRIVATE KEY",), re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----")),
    "a password in an address": (
        ("://",),
        re.compile(r"[a-z+]{2,12}://[^\s/:@'\"$]+:[^\s/@'\"$]+@[A-Za-z0-9]"),
    ),
}
"""Kind -> what such a text must contain, which is faster to look for, and its shape."""
_NAMED = re.compile(
    r"(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))(?i:token|password|passwd|api[_-]?key|secret[_-]?access[_-]?key|"
    r"client[_-]?secret)$"
)
"""HF_TOKEN, adminPassword, ngc-api-key; not TOKENIZERS_PARALLELISM, not tokenSecretName."""
_SHORTEST = 8
"""Shorter values of such names are flags and numbers."""

Leaf = tuple[Path, str, Value]
"""Where a value stands, the name that it is given, and the value."""


def credential_in(text: str) -> str | None:
    """What kind of credential stands in a text; None for none."""
    for kind, (marks, shape) in _SHAPES.items():
        for mark in marks:
            if mark in text:
                if shape.search(text):
                    return kind
                break
    return None


def credential_called(name: str, text: str) -> str | None:
    """The kind of credential that a value is, by its text or its name; None where it is none."""
    found = credential_in(text)
    if found is not None:
        return found
    # A reference, a path or an address names where the credential is.
    is_literal = len(text) >= _SHORTEST and not text.startswith("/") and "$" not in text and "://" not in text
    return f"a value called {name}" if is_literal and _NAMED.search(name) else None


def credential_in_base64(text: str) -> str | None:
    """The kind of credential that an entry in the `data` of a Secret is; None where it is none."""
    try:
        return credential_in(base64.b64decode(text, validate=True).decode("utf-8"))
    except (binascii.Error, ValueError):
        return None


def leaves(value: Value, path: Path = (), name: str = "") -> Iterator[Leaf]:
    """Everything in a value that is neither a mapping nor a list."""
    if isinstance(value, str):
        yield path, name, value
    elif isinstance(value, (dict, Mapping)):
        for key, item in value.items():
            yield from leaves(item, (*path, key), key)
    elif isinstance(value, (list, Sequence)):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index), name)
    else:
        yield path, name, value


def is_marked(path: Path, secret_paths: frozenset[Path]) -> bool:
    """Whether the program marked the value, or something around it, as secret."""
    return bool(secret_paths) and any(path[:length] in secret_paths for length in range(1, len(path) + 1))


def dotted(path: Path) -> str:
    """For messages: values.auth.0.password."""
    return ".".join(map(str, path))
