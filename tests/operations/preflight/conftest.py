from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest

from lab.aws_provider.cloud.server import CloudServer
from lab.aws_provider.cloud.settings import Settings
from tests.cli.command import Command, write_stack
from tests.operations.preflight.account import REGION, Account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.command import Answer


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
def preflight(command: Command, tmp_path: Path) -> Callable[..., Answer]:
    """`dynamo-stack preflight dev` of a stack with these settings."""

    def asked(settings: dict[str, Any], *options: str) -> Answer:
        write_stack(tmp_path, settings)
        return command("preflight", "dev", *options, folder=tmp_path)

    return asked
