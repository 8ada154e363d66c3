"""The measurement of the real frontend in `make bench`."""

from __future__ import annotations

import pytest

from lab import bench_frontend

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def test_the_frontend_answers_every_stream_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench_frontend, "SECONDS", 2.0)
    measured = bench_frontend.loads()
    assert [each.streams for each in measured] == [1, 32, 256]
    one, some, many = measured
    assert one.requests_per_second < some.requests_per_second
    # 32 streams already use two cores, so that 256 get as many answers, each later.
    assert many.milliseconds > some.milliseconds > one.milliseconds
    assert all(each.first_token_milliseconds < each.milliseconds for each in measured)
    # Slower than this, the mock's delays are on: a token takes 7 ms then.
    assert measured[0].milliseconds < 150
