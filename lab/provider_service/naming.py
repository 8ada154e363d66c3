"""Names that resources get where the program gives none, and what a URN says."""

from __future__ import annotations

import hashlib
import secrets


def unique_name(prefix: str, seed: bytes, hex_digits: int = 8) -> str:
    """The prefix and hexadecimal digits; the same for the same seed."""
    digits = hashlib.sha256(seed + prefix.encode()).hexdigest() if seed else secrets.token_hex(hex_digits)
    return f"{prefix}-{digits[:hex_digits]}"


def token_of(urn: str) -> str:
    """The resource type in a URN, without its parents' types."""
    return urn.split("::")[2].rpartition("$")[2]


def name_of(urn: str) -> str:
    """The logical name in a URN."""
    return urn.split("::", 3)[3]
