"""Text that shows what it holds, and obeys nobody but its reader.

Names and messages come from other people: from YAML, a cluster, a state. A terminal obeys the control
characters among them, and could be made to show another result than the one that was found.
"""

_LAYOUT = "\n\t"


def printable(text: str) -> str:
    """The text with its lines, and every other character that is no printable one written as Python does."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in _LAYOUT else _escaped(character)
        for character in text
    )


def one_line(text: str, longest: int | None = None) -> str:
    """A name or a message of one line, in which a line end too would pretend to be another, made printable.

    Of a text longer than `longest` characters the middle is left out: a value that it quotes.
    """
    if longest is not None and len(text) > longest:
        left_out = f" … {len(text) - longest:,} characters … "
        text = f"{text[: longest // 2]}{left_out}{text[-(longest // 2) :]}"
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    return repr(character)[1:-1]
