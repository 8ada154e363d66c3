"""A stack whose processes find each other by etcd serves too."""

import pytest

from tests.serving.conftest import BroughtUp
from tests.serving.etcd_discovery import discover_by_etcd
from tests.serving.smoke_verdicts import GOOD, smoke_verdicts

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def test_of_a_stack_with_discovery_by_etcd_the_smoke_test_finds_nothing_wrong(brought_up: BroughtUp) -> None:
    assert smoke_verdicts(brought_up("disagg-b200-tcp", discover_by_etcd)) == GOOD
