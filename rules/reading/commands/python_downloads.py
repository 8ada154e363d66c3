"""What Python in a command fetches from the hub: calls of huggingface_hub's snapshot_download."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from engines.command_line import UNKNOWN_WORD, Word

SNAPSHOT_DOWNLOAD = "snapshot_download"
_OPTIONS: Mapping[str, str] = {
    "revision": "--revision",
    "local_dir": "--local-dir",
    "cache_dir": "--cache-dir",
    "allow_patterns": "--include",
    "ignore_patterns": "--exclude",
}
"""Arguments that `hf download` has as options (huggingface_hub/_snapshot_download.py at 1.16)."""


def snapshot_downloads(code: str) -> Iterator[Sequence[Word]]:
    """What `hf` would be given to fetch the same, for each call; nothing of code that Python cannot read."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = tuple(ast.walk(ast.parse(code)))
        imported = (name for each in nodes if isinstance(each, ast.ImportFrom) for name in each.names)
        called = {each.asname or each.name for each in imported if each.name == SNAPSHOT_DOWNLOAD}
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in called:
                yield tuple(_words(node))


def _words(call: ast.Call) -> Iterator[Word]:
    given = {each.arg: each.value for each in call.keywords}
    yield Word("download")
    yield _word(call.args[0] if call.args else given.get("repo_id"))
    for argument, option in _OPTIONS.items():
        value = given.get(argument)
        for item in value.elts if isinstance(value, ast.List) else [value] if value is not None else ():
            yield Word(option)
            yield _word(item)


def _word(node: ast.expr | None) -> Word:
    """The text that the code has there; unknown where only Python can tell."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Word(node.value)
    return UNKNOWN_WORD
