from __future__ import annotations

from typing import Any

import pytest

from lab.kubernetes_provider.create import with_retries
from lab.kubernetes_provider.errors import NoMatchError, ProviderError, StatusError

_NAMESPACE = StatusError(404, "NotFound", 'namespaces "n" not found')
_DEFINITION = NoMatchError("g/v1", "K")
_REFUSED = StatusError(422, "Invalid", "wrong")


@pytest.mark.parametrize(
    ("errors", "preview", "pauses", "raised"),
    [
        ([_NAMESPACE, _DEFINITION, _NAMESPACE], False, [1, 2, 4], None),
        # The sixth try is the last.
        ([_DEFINITION] * 7, False, [1, 2, 4, 8, 16, 32], _DEFINITION),
        ([_REFUSED], False, [], _REFUSED),
        # The same update may make the namespace.
        ([_NAMESPACE], True, [], _NAMESPACE),
    ],
)
def test_only_what_may_still_appear_is_waited_for(
    errors: list[ProviderError], preview: bool, pauses: list[float], raised: ProviderError | None
) -> None:
    waited: list[float] = []
    left = [*errors]

    def send() -> dict[str, Any]:
        if left:
            raise left.pop(0)
        return {"made": True}

    def run() -> dict[str, Any]:
        return with_retries(
            send, pause=lambda each: bool(waited.append(each)), say=lambda _: None, is_preview=preview
        )

    if raised is None:
        assert run() == {"made": True}
    else:
        with pytest.raises(type(raised), match=str(raised)):
            run()
    assert waited == pauses


def test_a_cancelled_operation_stops_trying() -> None:
    tries: list[int] = []

    def send() -> dict[str, Any]:
        tries.append(1)
        raise _NAMESPACE

    with pytest.raises(StatusError):
        with_retries(send, pause=lambda _: True, say=lambda _: None)
    assert len(tries) == 1
