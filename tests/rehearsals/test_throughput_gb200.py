"""Stack throughput-gb200 from nothing to destroy, as its file is: one server on all 4 GPUs of a node."""

from __future__ import annotations

import pytest

from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import Expected
from tests.rehearsals.without_dynamo import WithoutDynamo

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "throughput-gb200",
    "gpt-oss-max-throughput",
    {"worker": 4},
    pool="gb200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "4"},
)


class TestThroughputGb200(WithoutDynamo):
    """What holds of every stack whose engine serves by itself."""


class TestRemovalOfThroughputGb200(Removal):
    """The last of it."""
