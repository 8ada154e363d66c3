"""What the lab tells the cloud."""

from __future__ import annotations

import base64
import datetime as dt
from dataclasses import dataclass
from pathlib import Path

import yaml

DEFAULT_ACCOUNT = "123456789012"


@dataclass(frozen=True)
class Settings:
    """The account, and the API server that stands behind every EKS cluster."""

    account: str = DEFAULT_ACCOUNT
    kubeconfig: Path | None = None
    reservations: Path | None = None
    """A JSON list of capacity reservations that the account has, as EC2 describes them."""
    caller: str = "user/lab"
    """Whose credentials everybody has: an IAM user, or assumed-role/ROLE/SESSION."""
    clock: Path | None = None
    """A file with the seconds by which the account's clock is ahead; without it, it is right."""

    @property
    def caller_arn(self) -> str:
        """As GetCallerIdentity has it."""
        service = "sts" if self.caller.startswith("assumed-role/") else "iam"
        return f"arn:aws:{service}::{self.account}:{self.caller}"

    def now(self) -> dt.datetime:
        """The account's time, in UTC and without a zone, as AWS writes it."""
        ahead = float(self.clock.read_text()) if self.clock and self.clock.exists() else 0.0
        moment = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=ahead)
        return moment.replace(tzinfo=None, microsecond=0)

    def eks_api_server(self) -> tuple[str, str] | None:
        """URL and base64 authority of the simulated cluster, now; None where there is none yet."""
        if self.kubeconfig is None or not self.kubeconfig.exists():
            return None
        cluster = yaml.safe_load(self.kubeconfig.read_text())["clusters"][0]["cluster"]
        authority = Path(cluster["certificate-authority"]).read_bytes()
        return cluster["server"], base64.b64encode(authority).decode()
