from fractions import Fraction

import pytest

from resource_graph import UNKNOWN, Value
from rules.reading.shapes import Undecided, quantity, whole_number


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("16Gi", Fraction(16 * 2**30)),
        ("1.5Ki", Fraction(1536)),
        ("500m", Fraction(1, 2)),
        ("2e3", Fraction(2000)),
        ("1E", Fraction(10**18)),
        (".5", Fraction(1, 2)),
        (" 8 ", Fraction(8)),
        (8, Fraction(8)),
        (0.25, Fraction(1, 4)),
    ],
)
def test_an_amount_is_read_as_kubernetes_reads_it(written: Value, amount: Fraction) -> None:
    assert quantity(written, "memory") == amount


@pytest.mark.parametrize(
    "written", ["", "Gi", "16 Gi", "16GB", "lots", True, None, UNKNOWN, [], float("nan"), float("inf")]
)
def test_what_is_no_amount_is_undecided(written: Value) -> None:
    with pytest.raises(Undecided, match="not an amount such as 16Gi"):
        quantity(written, "the limit")


@pytest.mark.parametrize("written", [10**400, "9" * 400])
def test_no_number_of_hundreds_of_digits_is_read(written: Value) -> None:
    with pytest.raises(Undecided, match="digits"):
        whole_number(written, "max_seq_len")
