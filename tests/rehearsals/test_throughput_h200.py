"""Stack throughput-h200 from nothing to destroy, as its file is: one server on all 8 GPUs of a node."""

from __future__ import annotations

import pytest

from tests.rehearsals.removal import Removal
from tests.rehearsals.shipped import Expected
from tests.rehearsals.without_dynamo import WithoutDynamo

pytestmark = [pytest.mark.lab, pytest.mark.slow]

EXPECTED = Expected(
    "throughput-h200",
    "gpt-oss-max-throughput",
    {"worker": 8},
    pool="h200",
    nodes=1,
    allocatable={"nvidia.com/gpu": "8"},
)


class TestThroughputH200(WithoutDynamo):
    """What holds of every stack whose engine serves by itself."""


class TestRemovalOfThroughputH200(Removal):
    """The last of it."""
