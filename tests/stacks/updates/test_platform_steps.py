"""Which release of the platform may follow another one."""

import pytest

from stacks.updates.guards.refused_changes import is_supported_step


@pytest.mark.parametrize(
    ("present", "target", "is_supported"),
    [
        ("1.2.1", "1.2.2", True),
        ("1.2.1", "1.3.1", True),
        ("1.3.1", "1.2.1", True),
        ("1.2.1", "1.4.2", False),
        ("1.4.2", "1.2.1", False),
        ("1.6.2", "1.4.2", False),
        ("1.9.9", "1.10.0", True),
        ("1.4.2", "2.4.2", False),
    ],
)
def test_a_release_follows_one_of_its_minor_or_of_the_next(
    present: str, target: str, is_supported: bool
) -> None:
    assert is_supported_step(present, target) is is_supported
