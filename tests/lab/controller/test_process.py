"""Stand-in controllers refuse what is not this machine's cluster, in one plain sentence."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# Each starts a process that loads the whole controller.
pytestmark = pytest.mark.slow

MODULES = ["lab.dynamo_operator", "lab.node_groups", "lab.volume_provisioner"]

KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "{server}"}}}}]
users: [{{name: u, user: {{token: not-a-real-token}}}}]
contexts: [{{name: production, context: {{cluster: c, user: u}}}}]
"""


def refuse(module: str, kubeconfig: Path, context: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", module, "--kubeconfig", str(kubeconfig), "--context", context]
    if module in {"lab.dynamo_operator", "lab.node_groups"}:
        command += ["--lab-dir", str(kubeconfig.parent)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


@pytest.mark.parametrize("module", MODULES)
def test_an_endpoint_beyond_this_machine_is_refused(module: str, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG.format(server="https://10.0.0.1:6443"), encoding="utf-8")
    answer = refuse(module, kubeconfig, "production")
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "context 'production' leads to https://10.0.0.1:6443, not to this machine" in answer.stderr
    assert "not-a-real-token" not in answer.stdout + answer.stderr


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("missing", ["file", "context"])
def test_a_missing_kubeconfig_or_context_is_named(module: str, missing: str, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    if missing == "context":
        kubeconfig.write_text(KUBECONFIG.format(server="https://127.0.0.1:1"), encoding="utf-8")
    answer = refuse(module, kubeconfig, "lab")
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert str(kubeconfig) in answer.stderr
