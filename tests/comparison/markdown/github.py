"""What GitHub makes of a comment: which parts are code, and which are read for mentions, links and HTML."""

import re

_FENCE = re.compile(r"(`{3,})(\w*)")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)")
_ELEMENT = re.compile(r"<code>[^<]*</code>")


def outside_code(comment: str) -> str:
    """The text that is no code; an open fence is an error, as everything below it would be code."""
    lines: list[str] = []
    fence = ""
    for line in comment.split("\n"):
        opened = _FENCE.fullmatch(line)
        if fence:
            # https://spec.commonmark.org/0.31.2/#fenced-code-blocks: as long or longer, and nothing after it.
            if opened and not opened[2] and len(opened[1]) >= len(fence):
                fence = ""
        elif opened:
            fence = opened[1]
        else:
            # In a line of HTML no Markdown is read (https://spec.commonmark.org/0.31.2/#html-blocks).
            lines.append((_ELEMENT if line.startswith("<") else _SPAN).sub("", line))
    assert not fence, f"a fence of {len(fence)} stays open"
    return "\n".join(lines)
