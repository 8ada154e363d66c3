"""The path of a field as a person reads it, in verdicts and in every form of the output."""

import json

from resource_graph.printable import one_line
from resource_graph.resource import Path


def dotted(path: Path) -> str:
    """Return the path of a field as people write it: `spec.services[0].replicas`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{json.dumps(part, ensure_ascii=False)}]"
    return one_line(text)
