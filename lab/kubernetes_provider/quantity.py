"""Kubernetes quantities in canonical form, as the API server stores them.

Source: k8s.io/apimachinery pkg/api/resource/quantity.go, CanonicalizeBytes.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext

_QUANTITY = re.compile(r"^([+-]?(?:\d+\.?\d*|\.\d+))((?:[KMGTPE]i)|[numkMGTPE]|[eE][+-]?\d+)?$")
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_KIBI = 1024
# Enough for exabytes in nanounits; Python's default of 28 digits is not.
_DIGITS = 60
_SMALLEST = Decimal(10) ** -9


def canonical(text: str) -> str:
    """The canonical spelling; anything that is no quantity comes back unchanged."""
    found = _QUANTITY.match(text)
    if found is None:
        return text
    with localcontext() as context:
        context.prec = _DIGITS
        return _spelled(Decimal(found.group(1)), found.group(2) or "")


def _spelled(number: Decimal, suffix: str) -> str:
    if suffix in _BINARY:
        return _binary(number * Decimal(_KIBI) ** _BINARY[suffix])
    if suffix in _DECIMAL:
        return _decimal(number * Decimal(10) ** _DECIMAL[suffix], _DECIMAL)
    exponents = {f"e{exponent}" if exponent else "": exponent for exponent in _DECIMAL.values()}
    return _decimal(number * Decimal(10) ** int(suffix[1:]), exponents)


def _binary(value: Decimal) -> str:
    # A fraction, or less than one Ki, has no binary spelling.
    if abs(value) < _KIBI or value != value.to_integral_value():
        return _decimal(value, _DECIMAL)
    whole, power = int(value), 0
    while whole % _KIBI == 0 and power < len(_BINARY):
        whole, power = whole // _KIBI, power + 1
    suffix = {exponent: name for name, exponent in _BINARY.items()}.get(power, "")
    return f"{whole}{suffix}"


def _decimal(value: Decimal, suffixes: dict[str, int]) -> str:
    if value == 0:
        return "0"
    rounded = value if value % _SMALLEST == 0 else (value // _SMALLEST + 1) * _SMALLEST
    for suffix, exponent in sorted(suffixes.items(), key=lambda item: -item[1]):
        scaled = rounded / Decimal(10) ** exponent
        if scaled == scaled.to_integral_value():
            return f"{int(scaled)}{suffix}"
    return str(rounded)
