import datetime as dt
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from lab.aws_provider.cloud.server import CloudServer
from lab.aws_provider.cloud.settings import Settings
from tests.cli.command import Answer, Command, merged, squeezed, write_stack
from tests.support.eks_settings import eks_b200_settings

Preflight = Callable[..., Answer]
REGION = "us-east-1"
BLOCK = "cr-0123456789abcdef0"


def at(hours: float) -> str:
    """A whole second so many hours from now, as EC2 writes it."""
    moment = dt.datetime.now(dt.UTC).replace(microsecond=0) + dt.timedelta(hours=hours)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def ec2_client() -> Any:
    """The account's EC2."""
    return botocore.session.get_session().create_client("ec2", region_name=REGION)


@dataclass(frozen=True)
class Account:
    """One account and the files by which the lab fills it."""

    endpoint: str
    folder: Path

    @property
    def reservations(self) -> Path:
        """What the account has bought."""
        return self.folder / "capacity-reservations.json"

    def reset(self) -> None:
        """Nothing is bought; quotas are the lab's."""
        self.reservations.write_text("[]", encoding="utf-8")
        (self.folder / "quotas.json").unlink(missing_ok=True)

    def bought(self, starts: str, ends: str, **changes: Any) -> None:
        """The account has this Capacity Block, by default one p6-b200 instance; None leaves a member out."""
        block = {
            "CapacityReservationId": BLOCK,
            "InstanceType": "p6-b200.48xlarge",
            "AvailabilityZone": "us-east-1a",
            "State": "active",
            "TotalInstanceCount": 1,
            "AvailableInstanceCount": 1,
            "ReservationType": "capacity-block",
            "StartDate": starts,
            "EndDate": ends,
        }
        told = {name: value for name, value in (block | changes).items() if value is not None}
        self.reservations.write_text(json.dumps([told]), encoding="utf-8")

    def quotas(self, **values: float) -> None:
        """Values by code, with _ for the hyphen."""
        by_code = {code.replace("_", "-"): value for code, value in values.items()}
        (self.folder / "quotas.json").write_text(json.dumps(by_code), encoding="utf-8")

    @contextmanager
    def addresses(self, number: int, stack: str | None = None) -> Iterator[None]:
        """So many elastic IPs, of a stack or of somebody else."""
        ec2 = ec2_client()
        tags = [{"Key": "dynamo-stack", "Value": stack}] if stack else [{"Key": "Name", "Value": "other"}]
        made = [
            ec2.allocate_address(
                Domain="vpc", TagSpecifications=[{"ResourceType": "elastic-ip", "Tags": tags}]
            )["AllocationId"]
            for _ in range(number)
        ]
        try:
            yield
        finally:
            for allocation in made:
                ec2.release_address(AllocationId=allocation)


_create_loader = cache(botocore.session.create_loader)


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """One simulated AWS account for all tests of this process: moto is slow to start."""
    folder = tmp_path_factory.mktemp("cloud")
    server = CloudServer(folder, Settings(reservations=folder / "capacity-reservations.json"))
    server.start()
    yield Account(server.endpoint, folder)
    server.stop()


@pytest.fixture
def account(cloud: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Account]:
    """The account with nothing bought and the lab's quotas, and credentials that AWS would take."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "AWS_ENDPOINT_URL": cloud.endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_CONFIG_FILE": str(tmp_path / "no-config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "no-credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REGION": REGION,
    }.items():
        monkeypatch.setenv(name, value)
    # Each command has a session of its own; each would read AWS's large service models again.
    monkeypatch.setattr(botocore.session, "create_loader", _create_loader)
    cloud.reset()
    yield cloud
    cloud.reset()


@pytest.fixture
def preflight(command: Command, tmp_path: Path) -> Preflight:
    """`dynamo-stack preflight dev` of a stack with these settings."""

    def asked(settings: dict[str, Any], *options: str) -> Answer:
        write_stack(tmp_path, settings)
        return command("preflight", "dev", *options, folder=tmp_path)

    return asked


WEEK = 7 * 24


def b200_settings(**purchase: Any) -> dict[str, Any]:
    """One B200 node where the simulated region offers the type, with these keys of what it is bought by."""
    settings = merged(eks_b200_settings(), {"cluster": {"publicCidrs": ["203.0.113.9/32"]}})
    settings["nodePools"][0]["purchase"] |= purchase
    return settings


def in_a_block(starts: str, /, **typed: str) -> dict[str, Any]:
    """The same in a Capacity Block that starts then, active where these keys say nothing else."""
    return b200_settings(**{"starts": starts, "phase": "active"} | typed)


def by_the_hour(**pool: Any) -> dict[str, Any]:
    """The same, paid by the hour where these keys of its pool say nothing else."""
    [block] = b200_settings()["nodePools"]
    return b200_settings() | {"nodePools": [block | {"purchase": {"kind": "onDemand"}} | pool]}


def seen(answer: Answer) -> str:
    """What was printed, without the breaks that make columns."""
    assert answer.err == ""
    return squeezed(answer.out)
