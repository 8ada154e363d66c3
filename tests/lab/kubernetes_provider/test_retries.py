from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.create import with_retries
from lab.kubernetes_provider.errors import NoMatchError, StatusError

_MISSING_NAMESPACE = StatusError(404, "NotFound", 'namespaces "n" not found')


class _Sending:
    """Fails with the given errors, one a try, then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.pauses: list[float] = []

    def send(self) -> dict[str, Any]:
        if self.errors:
            raise self.errors.pop(0)
        return {"made": True}

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return False


def _run(sending: _Sending, *, preview: bool = False) -> dict[str, Any]:
    return with_retries(sending.send, pause=sending.pause, say=lambda _: None, is_preview=preview)


def test_a_missing_namespace_or_definition_is_waited_for() -> None:
    sending = _Sending(_MISSING_NAMESPACE, NoMatchError("g/v1", "K"), _MISSING_NAMESPACE)
    assert _run(sending) == {"made": True}
    assert sending.pauses == [1, 2, 4]


def test_the_sixth_try_is_the_last() -> None:
    sending = _Sending(*[NoMatchError("g/v1", "K")] * 7)
    with pytest.raises(NoMatchError):
        _run(sending)
    assert sending.pauses == [1, 2, 4, 8, 16, 32]


def test_any_other_refusal_ends_it_at_once() -> None:
    sending = _Sending(StatusError(422, "Invalid", "wrong"))
    with pytest.raises(StatusError):
        _run(sending)
    assert sending.pauses == []


def test_a_preview_does_not_wait_for_a_namespace_of_the_same_update() -> None:
    sending = _Sending(_MISSING_NAMESPACE)
    with pytest.raises(StatusError):
        _run(sending, preview=True)
    assert sending.pauses == []


def test_a_cancelled_operation_stops_trying() -> None:
    sending = _Sending(*[_MISSING_NAMESPACE] * 3)
    with pytest.raises(StatusError):
        with_retries(sending.send, pause=lambda _: True, say=lambda _: None)
    assert len(sending.errors) == 2
