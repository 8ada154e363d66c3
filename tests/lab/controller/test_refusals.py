"""Stand-ins refuse what is not this machine's cluster, in one plain sentence."""

import asyncio
from pathlib import Path

import pytest

from lab.controller.api import connected
from lab.errors import LabError

KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "{server}"}}}}]
users: [{{name: u, user: {{token: not-a-real-token}}}}]
contexts: [{{name: production, context: {{cluster: c, user: u}}}}]
"""


def refusal(kubeconfig: Path, context: str) -> str:
    async def connect() -> None:
        async with connected(kubeconfig, "test", context):
            pass

    with pytest.raises(LabError) as refused:
        asyncio.run(connect())
    return str(refused.value)


def test_an_endpoint_beyond_this_machine_is_refused(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG.format(server="https://10.0.0.1:6443"), encoding="utf-8")
    said = refusal(kubeconfig, "production")
    assert said.startswith("context 'production' leads to https://10.0.0.1:6443, not to this machine")
    assert "not-a-real-token" not in said


def test_a_missing_kubeconfig_or_context_is_named(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    assert str(kubeconfig) in refusal(kubeconfig, "lab")
    kubeconfig.write_text(KUBECONFIG.format(server="https://127.0.0.1:1"), encoding="utf-8")
    assert "no context 'lab'" in refusal(kubeconfig, "lab")
