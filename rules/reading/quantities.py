"""Amounts of CPU, memory and storage as Kubernetes writes them."""

import re
from decimal import Decimal
from fractions import Fraction

from resource_graph import Value
from rules.reading.shapes import Undecided

_QUANTITY = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?|[+-]?\.[0-9]+)(?:([eE][+-]?[0-9]{1,3})|([a-zA-Z]{0,2}))")
_SUFFIXES = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{suffix: Fraction(1000**power) for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    **{suffix: Fraction(1024**power) for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
}


def quantity(value: Value, what: str) -> Fraction:
    """The amount in units: bytes, or CPUs.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

    Raises:
        Undecided: it is none.
    """
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    match = _QUANTITY.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or (match[3] or "") not in _SUFFIXES:
        raise Undecided(f"{what} is {value!r}, not an amount such as 16Gi")
    number = Fraction(Decimal(match[1] + (match[2] or "")))
    return number * _SUFFIXES[match[3] or ""]
