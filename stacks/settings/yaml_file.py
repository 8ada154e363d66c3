"""Read a YAML file with the engine's meaning of scalars; what readers of YAML disagree about is refused.

The pulumi CLI reads stack files with go-yaml v3 (`resolve.go`), whose rules are neither those of YAML 1.1
nor those of PyYAML: `off` and 12:30 are text, 012 is ten, 1e5 is a number, and a date comes out in another
form. A file that meant one thing here and another to the engine would be checked as one stack and deployed
as another.
"""

import math
import re
from decimal import Decimal
from typing import Any

import yaml

from resource_graph.manifest_yaml import read_documents
from resource_graph.yaml_events import NOT_YAML, YamlProblem

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
# All of it fits into 64 bits, which is what the engine has for a whole number.
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FRACTION = re.compile(r"(?=.*[.eE])[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
# Whatever else go-yaml may take for a number or a date, once underscores are out of it.
_OTHER_NUMBER = re.compile(
    r"[-+]?(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
    r"|\.(inf|Inf|INF))|\.(nan|NaN|NAN)"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9].*)?")
# Go's JSON writes numbers below this without an exponent, so that a whole number arrives as an integer.
_LARGEST_PLAIN_FLOAT = 1e21


def parse_yaml(text: str) -> Any:
    """Return the document as mappings with text keys, lists and scalars.

    Raises:
        YamlProblem: not YAML, YAML that the engine refuses (a key twice, an explicit tag), or a scalar
            that readers of YAML disagree about.

    """
    try:
        documents = list(read_documents(text, _scalar))
    except YamlProblem as problem:
        message = str(problem).removeprefix(NOT_YAML)
        raise YamlProblem(problem.document, problem.line, message) from None
    for document in documents:
        # The engine reads the first one alone, also where that is empty.
        if document.number > 1:
            raise YamlProblem(document.number, document.written.line, "another document begins here")
    return documents[0].content if documents else None


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    if event.tag is not None:
        raise ValueError(f"the tag {event.tag} is not used in stack files")
    return _resolve_plain(event.value) if event.implicit[0] else event.value


def _resolve_plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar, as the engine hands it to the program.

    Raises:
        ValueError: it is a number or a date in a form that readers of YAML disagree about.

    """
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text) and math.isfinite(value := float(text)):
        # As few digits as name this number, filled up with zeros; not its exact value.
        is_whole = value.is_integer() and abs(value) < _LARGEST_PLAIN_FLOAT
        return int(Decimal(repr(value))) if is_whole else value
    if _DATE.fullmatch(text):
        raise ValueError(f'{text} is a date to YAML, which rewrites it; quote it, as in "{text}"')
    if text[0] in "0123456789+-." and _OTHER_NUMBER.fullmatch(text.replace("_", "")):
        raise ValueError(
            f"readers of YAML disagree about the number {text}; quote it, or write it in plain digits, "
            "at most 18"
        )
    return text
