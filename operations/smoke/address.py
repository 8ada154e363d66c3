"""The address and the key that a person gives `smoke` or `bench`, refused before anything is asked."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from operations.errors import CommandError
from resource_graph.spelling import nearest

PUBLISHED_MODEL = "openai/gpt-oss-120b"
"""The model that most recipes serve."""
_SCHEMES = ("http", "https")
# A path before those that are a part of it.
_OF_THE_API = ("/v1/chat/completions", "/v1/responses", "/v1/models", "/health", "/v1")


def parse_url(text: str) -> str:
    """Return the URL before /v1; raises CommandError where it is none that can be asked."""
    before, _, host = text.strip().rpartition("@")
    if before:
        raise _refused(
            f"…@{host}", "carries credentials, which output would show", "--api-key-from VARIABLE of smoke"
        )
    try:
        parts = urlsplit(host)
        is_whole = parts.scheme in _SCHEMES and parts.hostname and parts.port != 0 and " " not in parts.netloc
    except ValueError:
        # Brackets of an IPv6 address that do not match, or a port that is none.
        raise _no_url(text) from None
    if not is_whole:
        raise _no_url(text)
    if parts.query or parts.fragment:
        raise _refused(
            text, "has a query or a fragment", f"--url {parts.scheme}://{parts.netloc}{parts.path}"
        )
    path = parts.path.rstrip("/")
    # What a client's base URL ends in, or what a person has just asked with curl.
    for known in _OF_THE_API:
        path = path.removesuffix(known)
    return f"{parts.scheme}://{parts.netloc}{path}"


def read_key(variable: str, environment: Mapping[str, str]) -> str:
    """Return the key that a variable holds; raises CommandError, which never shows it."""
    value = environment.get(variable, "").strip()
    if not value:
        near = nearest(variable, sorted(environment))
        hint = f"\n  try: {near}" if near else f"\n  try: `export {variable}=…`, or another variable's name"
        raise CommandError(f"--api-key-from {variable}: there is no such variable, or it is empty{hint}")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise CommandError(
            f"--api-key-from {variable}: its value cannot stand in a header: blanks, line breaks or letters "
            "beyond ASCII are in it\n  try: the key alone, without `Bearer`"
        )
    return value


def _no_url(text: str) -> CommandError:
    return _refused(text, "is no URL of HTTP", "--url http://localhost:8000")


def _refused(text: str, reason: str, instead: str) -> CommandError:
    return CommandError(
        f"--url {text}: {reason}\n  allowed: http:// or https://, a host, a port\n  try: {instead}"
    )
