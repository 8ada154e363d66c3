"""No lab command ever talks to a cluster that is not on this machine."""

import asyncio
import re
from pathlib import Path

import pytest
import yaml

from lab import control_plane
from lab.controller.api import connected
from lab.directory import LabDirectory
from lab.errors import LabError
from lab.kubeconfig import is_loopback

KUBECONFIG = """
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: not-a-real-token}}]
contexts: [{name: dynamo-lab, context: {cluster: c, user: u}}]
"""


@pytest.mark.parametrize(
    ("url", "is_this_machine"),
    [
        ("https://127.0.0.1:6443", True),
        ("https://127.99.0.1", True),
        ("https://localhost:1", True),
        ("https://[::1]:6443", True),
        ("https://10.0.0.1:6443", False),
        ("https://203.0.113.7", False),
        ("https://localhost.evil.example", False),
        ("https://127.0.0.1.example", False),
        ("", False),
        ("x", False),
    ],
)
def test_an_address_is_this_machines_own_or_another_s(url: str, is_this_machine: bool) -> None:
    assert is_loopback(url) is is_this_machine


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ("dynamo-lab", "'dynamo-lab' leads to https://production.example.com, not to this machine"),
        ("production", "has no context 'dynamo-lab'; the lab uses no other"),
    ],
)
def test_a_lab_is_not_started_on_a_foreign_kubeconfig_before_any_command_runs(
    tmp_path: Path, context: str, said: str
) -> None:
    lab = LabDirectory(tmp_path / "lab")
    lab.root.mkdir()
    content = {
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://production.example.com"}}],
    }
    lab.kubeconfig.write_text(yaml.safe_dump(content))
    # There is no bin folder: any attempt to run kubectl would fail with another error.
    with pytest.raises(LabError, match=re.escape(said)):
        control_plane.start(lab)


def test_a_stand_in_never_asks_a_cluster_that_is_not_this_machine_s(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"

    async def connect() -> None:
        async with connected(kubeconfig, "test"):
            pass

    with pytest.raises(LabError, match=str(kubeconfig)):
        asyncio.run(connect())
    kubeconfig.write_text(KUBECONFIG, encoding="utf-8")
    with pytest.raises(LabError) as refused:
        asyncio.run(connect())
    assert str(refused.value).startswith("context 'dynamo-lab' leads to https://10.0.0.1:6443, not to this")
    assert "not-a-real-token" not in str(refused.value)
