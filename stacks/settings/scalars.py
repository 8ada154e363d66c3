"""What a YAML scalar means to the engine.

The pulumi CLI reads stack files with go-yaml v3 (`resolve.go`), whose rules are neither those of YAML 1.1
nor those of PyYAML: `off` is text, 012 is ten, 12:30 is text, 1e5 is a number. A file that meant one thing
here and another to the engine would be checked as one stack and deployed as another.
"""

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# Go reads a number that starts with its point by another function, which takes digits apart at underscores.
_FLOAT_FROM_POINT = re.compile(r"\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?")
_INTEGER_PREFIXES = {"0x": 16, "0b": 2, "0o": 8}
_BASES_OF_DIGITS = {16: "0123456789abcdef", 10: "0123456789", 8: "01234567", 2: "01"}
_MIN_INT64, _MAX_INT64, _MAX_UINT64 = -(2**63), 2**63 - 1, 2**64 - 1
_DIGITS_OF_UINT64 = 20
_DECIMAL = 10
_TIMESTAMP = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})"
    r"(?:(?P<separator>[Tt ])(?P<hour>\d{1,2}):(?P<minute>\d{1,2}):(?P<second>\d{1,2})"
    r"(?:[.,](?P<fraction>\d+))?(?P<zone>Z|[-+]\d{2}:\d{2})?)?"
)
# Go's JSON writes numbers below this without an exponent, so that a whole number arrives as an integer.
_LARGEST_PLAIN_FLOAT = 1e21


def resolve_plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar, as the engine hands it to the program."""
    if text in _WORDS:
        return _WORDS[text]
    if not text or text[0] not in "0123456789+-.":
        return text
    if text[0] == ".":
        return _number(text.replace("_", ""), text) if _FLOAT_FROM_POINT.fullmatch(text) else text
    timestamp = _timestamp(text)
    if timestamp is not None:
        return timestamp
    plain = text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    return _number(plain, text) if _FLOAT.fullmatch(plain) else text


def _number(plain: str, text: str) -> Scalar:
    value = float(plain)
    if math.isinf(value):
        # Out of range is an error to Go's parser, and what is not a number is text.
        return text
    return _through_json(value)


def _through_json(value: float) -> int | float:
    if value.is_integer() and abs(value) < _LARGEST_PLAIN_FLOAT:
        # As few digits as name this number, filled up with zeros; not its exact value.
        return int(Decimal(repr(value)))
    return value


def _integer(plain: str) -> int | None:
    digits = plain[1:] if plain[:1] in {"+", "-"} else plain
    prefix = digits[:2].lower()
    if prefix in _INTEGER_PREFIXES:
        base, digits = _INTEGER_PREFIXES[prefix], digits[2:]
    elif len(digits) > 1 and digits[0] == "0":
        base, digits = 8, digits[1:]
    else:
        base = _DECIMAL
    if base == _DECIMAL and len(digits) > _DIGITS_OF_UINT64:
        # Python refuses to read more than 4,300, and none of these is an integer to the engine.
        return None
    if not digits or any(digit not in _BASES_OF_DIGITS[base] for digit in digits.lower()):
        return None
    value = int(digits, base) * (-1 if plain[0] == "-" else 1)
    if _MIN_INT64 <= value <= _MAX_INT64:
        return value
    # An unsigned number takes no sign at all, not even a plus, and loses digits on its way to the program.
    return int(_through_json(float(value))) if 0 < value <= _MAX_UINT64 and plain[0] != "+" else None


def _timestamp(text: str) -> str | None:
    """Return Go's text form of a timestamp, which is what reaches the program, or None."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    zone = match["zone"]
    if match["separator"] and (zone is None) != (match["separator"] == " "):
        # With T a zone is needed, with a space there must be none.
        return None
    moment = _moment(match)
    if moment is None:
        return None
    fraction = (match["fraction"] or "")[:9].rstrip("0")
    seconds = f"{match['date'][:4]}-{moment:%m-%d %H:%M:%S}" + (f".{fraction}" if fraction else "")
    offset = f"{moment:%z}"
    return f"{seconds} {offset} {'UTC' if moment.utcoffset() == timedelta(0) else offset}"


def _moment(match: re.Match[str]) -> datetime | None:
    year, month, day = (int(part) for part in match["date"].split("-"))
    time = (int(match["hour"] or 0), int(match["minute"] or 0), int(match["second"] or 0))
    zone = match["zone"]
    try:
        tzinfo = UTC if zone in {None, "Z"} else _offset(zone)
        # Go knows a year 0, a leap year; Python's calendar starts at 1.
        return datetime(year or 2000, month, day, *time, tzinfo=tzinfo)
    except ValueError:
        return None


def _offset(zone: str) -> timezone:
    sign = -1 if zone[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6])))
