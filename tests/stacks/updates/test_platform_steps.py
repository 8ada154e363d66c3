"""The releases that an upgrade of the platform goes through."""

import pytest

from stacks.updates.platform_steps import is_older, ordered, upgrade_steps

STORED = {"1.10.0": "v1beta1", "1.2.1": "v1alpha1", "1.6.2": "v1beta1", "1.4.2": "v1alpha1"}


@pytest.mark.parametrize(
    ("present", "target", "steps"),
    [
        ("1.2.1", "1.4.2", ("1.4.2",)),
        ("1.2.1", "1.6.2", ("1.4.2", "1.6.2")),
        ("1.2.1", "1.10.0", ("1.4.2", "1.10.0")),
        ("1.4.2", "1.6.2", ("1.6.2",)),
        ("1.4.2", "1.10.0", ("1.10.0",)),
        ("1.6.2", "1.10.0", ("1.10.0",)),
    ],
)
def test_an_upgrade_stops_before_graphs_are_stored_in_another_version(
    present: str, target: str, steps: tuple[str, ...]
) -> None:
    assert upgrade_steps(present, target, STORED) == steps


def test_releases_are_ordered_by_their_numbers_and_not_by_their_letters() -> None:
    assert ordered(tuple(STORED)) == ("1.2.1", "1.4.2", "1.6.2", "1.10.0")
    assert is_older("1.9.9", "1.10.0")
    assert not is_older("1.10.0", "1.10.0")
