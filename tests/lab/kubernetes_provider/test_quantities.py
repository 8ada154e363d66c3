import pytest

from lab.kubernetes_provider.normalise import canonical_quantity


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("1000m", "1"), ("0.5", "500m"), ("1500m", "1500m"), ("192", "192"), ("1024Mi", "1Gi"),
        ("0.1Gi", "107374182400m"), ("1.5Gi", "1536Mi"), ("1536Mi", "1536Mi"), ("100M", "100M"),
        ("1000k", "1M"), ("12E", "12E"), ("0", "0"), ("512", "512"), ("1Ki", "1Ki"),
        ("0.5Ki", "512"), ("1025Ki", "1025Ki"), ("0.1n", "1n"),
        # What is no quantity is left alone.
        ("", ""), ("none", "none"), ("1GiB", "1GiB"), ("1.2.3", "1.2.3"), ("$(VALUE)", "$(VALUE)"),
    ],
)  # fmt: skip
def test_a_quantity_is_spelled_as_the_api_server_stores_it(written: str, stored: str) -> None:
    assert canonical_quantity(written) == stored
