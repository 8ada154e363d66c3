"""Where one lab keeps everything that it writes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROGRAM_ROOMS = (
    *("components", "engines", "failures", "hardware", "policy", "recipes"),
    *("resource_graph", "rules", "stacks"),
    ".venv",
)
"""Folders that a copy of the Pulumi project needs beside its files."""


@dataclass(frozen=True)
class LabDirectory:
    """The folders and files of one lab; several labs live side by side in several directories."""

    root: Path

    @classmethod
    def default(cls) -> LabDirectory:
        """The checkout's own lab, or the one that LAB_DIR names."""
        return cls(Path(os.environ.get("LAB_DIR") or REPOSITORY / ".lab").resolve())

    @property
    def bin(self) -> Path:
        """First on PATH: the tools, and the language host beside the pulumi executable."""
        return self.root / "bin"

    @property
    def home(self) -> Path:
        """HOME inside the seal, so that no client finds the person's own credentials or caches."""
        return self.root / "home"

    @property
    def pulumi_home(self) -> Path:
        """PULUMI_HOME: plugins, credentials, workspaces."""
        return self.root / "pulumi"

    @property
    def backend(self) -> Path:
        """The file backend: stack states, history, backups, locks."""
        return self.root / "backend"

    @property
    def kubeconfig(self) -> Path:
        """The only cluster that anything inside the seal can see."""
        return self.root / "kubeconfig"

    @property
    def kwok(self) -> Path:
        """kwokctl's working directory: certificates, etcd data, logs of the control plane."""
        return self.root / "kwok"

    @property
    def charts(self) -> Path:
        """Packaged stand-in charts and the index by which they are found."""
        return self.root / "charts"

    @property
    def switches(self) -> Path:
        """A file here turns on a known pain of the stand-ins (docs/lab.md)."""
        return self.root / "switches"

    @property
    def processes(self) -> Path:
        """A pid file and a log for each stand-in process."""
        return self.root / "processes"

    @property
    def cloud(self) -> Path:
        """The simulated AWS account: its endpoint, every request to it, what moto does not hold."""
        return self.root / "cloud"

    def create(self) -> None:
        """Makes every folder, private to the user: the state and the kubeconfig hold credentials."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.home, self.pulumi_home, self.backend, self.kwok, self.charts, self.switches):
            folder.mkdir(exist_ok=True)
        self.processes.mkdir(exist_ok=True)
