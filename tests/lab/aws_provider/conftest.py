import json
from collections.abc import Iterator
from typing import Any

import pytest

from lab.aws_provider.cloud.server import CloudServer
from lab.aws_provider.cloud.settings import Settings
from tests.lab.aws_provider.account import Account


@pytest.fixture(scope="session")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """One simulated AWS account for all tests of this process: moto is slow to start."""
    folder = tmp_path_factory.mktemp("cloud")
    reservations = folder / "capacity-reservations.json"
    reservations.write_text(json.dumps(_RESERVATIONS))
    server = CloudServer(folder, Settings(reservations=reservations))
    server.start()
    yield Account(server.endpoint, folder)
    server.stop()


def _block(identifier: str, instance_type: str, zone: str, state: str) -> dict[str, Any]:
    return {
        "CapacityReservationId": identifier,
        "InstanceType": instance_type,
        "AvailabilityZone": zone,
        "State": state,
        "TotalInstanceCount": 2,
        "ReservationType": "capacity-block",
        "StartDate": "2026-11-01T11:30:00Z",
        "EndDate": "2099-01-01T11:30:00Z",
    }


_PLACED = {
    "ReservationType": "default",
    "PlacementGroupArn": "arn:aws:ec2:us-east-1:123456789012:placement-group/ours",
}
_RESERVATIONS = [
    _block("cr-0123456789abcdef0", "p6-b200.48xlarge", "us-east-1a", "active"),
    _block("cr-0123456789abcdef2", "p6e-gb200.36xlarge", "us-east-1-dfw-2a", "active"),
    _block("cr-0123456789abcdef3", "p6-b300.48xlarge", "us-east-1c", "active"),
    _block("cr-0123456789abcdef4", "p6-b200.48xlarge", "us-east-1a", "active") | _PLACED,
    _block("cr-0123456789abcdef5", "p6-b200.48xlarge", "us-east-1a", "active")
    | {"ReservationType": "default"},
]
