"""When two single values are the same to an API server."""

from rules.reading.shapes import Undecided, attempted, quantity

_NUMBERS = (int, float)


def same_scalar(before: object, after: object, *, is_amount: bool) -> bool:
    """Return whether two values that are no mapping and no list mean the same.

    Args:
        before: one of them.
        after: the other.
        is_amount: whether the field holds a Kubernetes quantity, of which 1 and 1000m are the same.

    """
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if is_amount and before is not None and after is not None:
        return _same_amount(before, after)
    if isinstance(before, _NUMBERS) and isinstance(after, _NUMBERS):
        return before == after
    return type(before) is type(after) and before == after


def amount_of(value: object) -> object:
    """Return the amount in units; the value itself where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return value
    found = attempted(quantity, value, "it")
    return value if isinstance(found, Undecided) else found


def _same_amount(before: object, after: object) -> bool:
    return amount_of(before) == amount_of(after)
