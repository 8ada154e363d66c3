"""`make lab-up` and its neighbours as a person types them, in a clone, with production nearby."""

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from lab.directory import REPOSITORY
from tests.support.running import running_in

pytestmark = [pytest.mark.lab, pytest.mark.slow]

UP_SECONDS = 180


class Production:
    """A listening socket that stands for a production cluster and cloud, and counts who calls."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.calls = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.calls += 1
            connection.close()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def production() -> Iterator[Production]:
    listener = Production()
    yield listener
    listener.close()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone of the repository with the environment that `make` would have made."""
    target = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(REPOSITORY), str(target)], check=True)
    (target / ".venv").symlink_to(REPOSITORY / ".venv", target_is_directory=True)
    return target


def _plant(home: Path, production: Production) -> dict[str, str]:
    """A person's own world: a current context, cloud profiles and tokens that all lead to production."""
    url = f"https://127.0.0.1:{production.port}"
    kubeconfig = home / ".kube" / "config"
    kubeconfig.parent.mkdir(parents=True)
    kubeconfig.write_text(
        yaml.safe_dump(
            {
                "current-context": "production",
                # The same context name as the lab's: a lab that read this file would find it.
                "contexts": [
                    {"name": name, "context": {"cluster": "production", "user": "me"}}
                    for name in ("production", "dynamo-lab")
                ],
                "clusters": [{"name": "production", "cluster": {"server": url}}],
                "users": [{"name": "me", "user": {"token": "production-token"}}],
            }
        )
    )
    (home / ".aws").mkdir()
    (home / ".aws" / "credentials").write_text(
        "[default]\naws_access_key_id=AKIAREAL\naws_secret_access_key=real\n"
    )
    return {
        "HOME": str(home),
        "KUBECONFIG": str(kubeconfig),
        "AWS_PROFILE": "default",
        "AWS_ENDPOINT_URL": url,
        "PULUMI_ACCESS_TOKEN": "pul-production",
        "PULUMI_BACKEND_URL": url,
        # The tools are looked up in the cache of the person who runs the tests.
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"),
    }


def _lab(clone: Path, variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "LAB_DIR"} | variables
    return subprocess.run(
        [sys.executable, "-m", "lab", *arguments],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=UP_SECONDS,
    )


def _in_sealed_shell(clone: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The commands that README.md promises for `make shell`, in a shell that evaluated the exports."""
    script = (
        f'eval "$({sys.executable} -m lab env)" && pulumi preview --stack dev && kubectl get pods -A '
        "&& helm list -A && dynamo-stack explain dev"
    )
    return subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=clone,
        env=dict(os.environ) | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=UP_SECONDS,
    )


def test_up_twice_and_down_in_a_clone_next_to_production(
    clone: Path, tmp_path: Path, production: Production
) -> None:
    variables = _plant(tmp_path / "home", production)
    try:
        first = _lab(clone, variables, "up")
        assert first.returncode == 0, first.stdout + first.stderr
        assert "serving (mock engine)" in first.stdout
        assert "mock-served" in first.stdout
        assert re.search(r"^\$ curl -s http://127\.\S+/v1/chat/completions", first.stdout, re.MULTILINE), (
            first.stdout
        )
        assert "p6-b200-0" in first.stdout
        assert "lab-down" in first.stdout

        second = _lab(clone, variables, "up")
        assert second.returncode == 0, second.stdout + second.stderr
        assert "stack dev: no change" in second.stdout

        shell = _in_sealed_shell(clone, variables)
        assert shell.returncode == 0, shell.stdout + shell.stderr
        assert re.search(r"^ +\d+ unchanged$", shell.stdout, re.MULTILINE), shell.stdout
        assert not re.search(r"to (create|update|delete|replace)", shell.stdout), shell.stdout
        assert "gpt-oss-disagg-frontend" in shell.stdout
        assert "dynamo-platform-1.2.1" in shell.stdout
        assert "KV PATH" in shell.stdout
    finally:
        down = _lab(clone, variables, "down")
    assert down.returncode == 0, down.stdout + down.stderr
    assert running_in(clone / ".lab") == []
    assert not (clone / ".lab").exists()
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True
    )
    assert [line for line in status.stdout.splitlines() if ".venv" not in line] == []
    assert production.calls == 0
