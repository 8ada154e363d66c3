"""Where one lab keeps everything that it writes."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROGRAM_ROOMS = (
    *("components", "engines", "failures", "hardware", "policy", "recipes"),
    *("resource_graph", "rules", "stacks"),
    ".venv",
)
"""Folders that a copy of the Pulumi project needs beside its files."""


class LabDirectory:
    """The folders and files of one lab; several labs live side by side in several directories."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # First on PATH: the tools, and the language host beside the pulumi executable.
        self.bin = root / "bin"
        # HOME inside the seal, so that no client finds the person's own credentials or caches.
        self.home = root / "home"
        # PULUMI_HOME: plugins, credentials, workspaces.
        self.pulumi_home = root / "pulumi"
        # The file backend: stack states, history, backups, locks.
        self.backend = root / "backend"
        # The only cluster that anything inside the seal can see.
        self.kubeconfig = root / "kubeconfig"
        # kwokctl's working directory: certificates, etcd data, logs of the control plane.
        self.kwok = root / "kwok"
        # Packaged stand-in charts and the index by which they are found.
        self.charts = root / "charts"
        # A file here turns on a known pain of the stand-ins (docs/lab.md).
        self.switches = root / "switches"
        # A pid file and a log for each stand-in process.
        self.processes = root / "processes"
        # The simulated AWS account: its endpoint, every request to it, what moto does not hold.
        self.cloud = root / "cloud"

    @classmethod
    def default(cls) -> LabDirectory:
        """The checkout's own lab, or the one that LAB_DIR names."""
        return cls(Path(os.environ.get("LAB_DIR") or REPOSITORY / ".lab").resolve())

    def create(self) -> None:
        """Makes every folder, private to the user: the state and the kubeconfig hold credentials."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folders = (self.home, self.pulumi_home, self.backend, self.kwok, self.charts)
        for folder in (*folders, self.switches, self.processes):
            folder.mkdir(exist_ok=True)
