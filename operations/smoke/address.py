"""The address and the key that a person gives, refused before anything is asked."""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlsplit

from operations.errors import CommandError
from resource_graph.spelling import nearest
from stacks.plan.recipe_files import sound_recipes

_SCHEMES = ("http", "https")
# A path before those that are a part of it.
_OF_THE_API = ("/v1/chat/completions", "/v1/responses", "/v1/models", "/health", "/v1")


def parse_url(text: str) -> str:
    """Return the URL before /v1; raises CommandError where it is none that can be asked."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        # Brackets of an IPv6 address that do not match.
        raise _refused(text, "has no host", "--url http://localhost:8000") from None
    if parts.scheme not in _SCHEMES or not parts.netloc:
        bare = text.strip().partition("://")[2] or text.strip().lstrip("/")
        raise _refused(text, "is no URL of HTTP", f"--url http://{bare or 'localhost:8000'}")
    if "@" in parts.netloc:
        host = parts.netloc.rpartition("@")[2]
        raise _refused(f"{parts.scheme}://…@{host}", "carries credentials", "--api-key-from VARIABLE")
    try:
        port = parts.port
    except ValueError:
        port = -1
    if not parts.hostname or port == -1 or any(each.isspace() for each in parts.netloc):
        raise _refused(text, "has no host, or no port from 1 to 65535", "--url http://localhost:8000")
    if parts.query or parts.fragment:
        plain = f"{parts.scheme}://{parts.netloc}{parts.path}"
        raise _refused(text, "has a query or a fragment", f"--url {plain}")
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


def published_model() -> str:
    """Return the model that most recipes serve; raises CommandError where several are served by as many."""
    counted = Counter(recipe.model.served_name for recipe in sound_recipes())
    names = [name for name, count in counted.items() if count == max(counted.values())]
    if len(names) == 1:
        return names[0]
    allowed = ", ".join(sorted(counted))
    raise CommandError(f"--model is needed: the recipes serve several\n  allowed: {allowed}")


def _refused(text: str, reason: str, instead: str) -> CommandError:
    return CommandError(
        f"--url {text}: {reason}\n  allowed: http:// or https://, a host, a port\n  try: {instead}"
    )
