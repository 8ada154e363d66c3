"""Text of others, safe to print on a terminal.

Names and messages come from other people: from YAML, a cluster, a state. A terminal obeys the control
characters among them, and could be made to show another result than the one that was found.
"""

import json

from resource_graph.values import Path


def printable(text: str, kept: str = "\n\t") -> str:
    """The text with its lines; any other unprintable character is written as Python escapes it."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in kept else repr(character)[1:-1]
        for character in text
    )


def one_line(text: str, longest: int | None = None) -> str:
    """The text on one line: line ends are escaped too, as they would begin a false message.

    A text longer than `longest` characters loses its middle, which quotes a value.
    """
    if longest is not None and len(text) > longest:
        left_out = f" … {len(text) - longest:,} characters … "
        text = f"{text[: longest // 2]}{left_out}{text[-(longest // 2) :]}"
    return printable(text, kept="")


def dotted(path: Path) -> str:
    """The path of a field as people and Pulumi write it: `spec.services[0].labels["example.com/pool"]`."""
    text = ""
    for part in path:
        is_word = isinstance(part, str) and part.isidentifier()
        text += f".{part}" if is_word else f"[{json.dumps(part, ensure_ascii=False)}]"
    return one_line(text.removeprefix("."))
