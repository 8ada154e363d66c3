from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.kubernetes_provider.quantity import canonical


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("1000m", "1"), ("0.5", "500m"), ("1500m", "1500m"), ("192", "192"), ("1024Mi", "1Gi"),
        ("0.1Gi", "107374182400m"), ("1.5Gi", "1536Mi"), ("1536Mi", "1536Mi"), ("100M", "100M"),
        ("1000k", "1M"), ("1e3", "1e3"), ("12E", "12E"), ("0", "0"), ("512", "512"), ("1Ki", "1Ki"),
        ("0.5Ki", "512"),
    ],
)  # fmt: skip
def test_a_quantity_is_spelled_as_the_api_server_stores_it(written: str, stored: str) -> None:
    assert canonical(written) == stored


@pytest.mark.parametrize("text", ["", "none", "1GiB", "1.2.3", "$(VALUE)"])
def test_what_is_no_quantity_is_left_alone(text: str) -> None:
    assert canonical(text) == text


@given(st.integers(0, 10**9), st.sampled_from(["", "m", "k", "M", "G", "Ki", "Mi", "Gi", "Ti"]))
def test_a_canonical_quantity_is_its_own_canonical_form(number: int, suffix: str) -> None:
    once = canonical(f"{number}{suffix}")
    assert canonical(once) == once
