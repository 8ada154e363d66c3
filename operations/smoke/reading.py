"""From the text of an answer to its parts, or to what is wrong with it."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from operations.smoke.client import Answer
from operations.smoke.finding import Finding, WrongAnswer, wrong
from operations.smoke.protocol import Part

_OK = 200
_LONGEST_QUOTE = 80
_KEY = "a gateway in front of it wants a key: --api-key-from VARIABLE"
_FIXES = {
    401: _KEY,
    403: _KEY,
    404: "a frontend that misses a worker answers so too: GET /health lists which have registered",
    500: "the logs of frontend and workers say why",
    503: "a worker is missing, or all of them are busy: GET /health lists which have registered",
}
_FINAL = frozenset({401, 403})


def read(answer: Answer, form: type[Part], what: str) -> Part:
    """Return the answer's parts; raises WrongAnswer, with its reason.

    Args:
        answer: what the frontend sent.
        form: what it should be.
        what: the same in words, as in "a chat completion".

    """
    if answer.status != _OK:
        raise WrongAnswer(refusal(answer.status, answer.text))
    return read_text(answer.text, form, what)


def read_text(text: str, form: type[Part], what: str) -> Part:
    """Return the parts of a text that came with HTTP 200; raises WrongAnswer."""
    document = _document(text)
    error = error_in(document)
    if error:
        raise WrongAnswer(wrong(f"HTTP 200 with an error inside: {error}"))
    if document is None:
        raise WrongAnswer(wrong(f"HTTP 200, but no JSON: {quoted(text)}"))
    try:
        return form.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        said = f"HTTP 200, but not {what}: {place}: {first['msg'].lower()}"
        raise WrongAnswer(wrong(f"{said}; it begins {quoted(text)}")) from None


def refusal(status: int, text: str) -> Finding:
    """Return the finding about an answer with another status than 200."""
    document = _document(text)
    said = error_in(document) or (_message(document) if isinstance(document, Mapping) else "")
    words = said or quoted(text) if text.strip() else "with nothing in it"
    return wrong(f"HTTP {status}: {words}", _FIXES.get(status, ""), is_final=status in _FINAL)


def error_in(document: object) -> str:
    """Return the message of an error that an answer carries, whatever its status; empty without one."""
    if not isinstance(document, Mapping):
        return ""
    error = cast("Mapping[str, Any]", document).get("error")
    if not error:
        return ""
    return _message(error) if isinstance(error, Mapping) else quoted(str(error))


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, on one line."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= _LONGEST_QUOTE else f'{line[: _LONGEST_QUOTE - 1]}…'}'"


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _message(error: Mapping[str, Any]) -> str:
    """Return what an error says; without a message, all of it."""
    message = error.get("message") or error.get("detail")
    return quoted(str(message or dict(error)))
