"""Choosing the vendor's Kubernetes plugin for the lab, and what it is started with."""

from __future__ import annotations

import os
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from lab import plugins
from lab.charts import package_charts
from lab.directory import LabDirectory
from lab.environment import sealed_environment
from lab.errors import LabError
from lab.vendor_plugin import choice

# Says what it was given, and waits as a plugin does.
PLUGIN = '#!/bin/sh\necho "$1 $HTTPS_PROXY $SSL_CERT_FILE $$"\nread ended\n'


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An executable in the place of the vendor's, chosen for this test."""
    file = tmp_path / "vendors-plugin"
    file.write_text(PLUGIN)
    file.chmod(0o755)
    monkeypatch.setenv("PLUGINS", "vendor")
    monkeypatch.setenv("VENDOR_KUBERNETES_PLUGIN", str(file))
    return file


def _installed(lab: LabDirectory) -> Path:
    lab.create()
    plugins.install(lab, {})
    wanted = version("pulumi-kubernetes")
    return lab.pulumi_home / "plugins" / f"resource-kubernetes-v{wanted}" / "pulumi-resource-kubernetes"


def test_the_stand_in_is_the_lab_s_plugin_unless_the_vendors_is_asked_for(tmp_path: Path) -> None:
    lab = LabDirectory(tmp_path / "lab")
    assert "-m lab.kubernetes_provider" in _installed(lab).read_text()
    assert "PLUGINS" not in sealed_environment(lab, {})


def test_the_vendors_plugin_starts_with_the_lab_s_charts_in_reach_as_the_engines_own_child(
    tmp_path: Path, plugin: Path
) -> None:
    lab = LabDirectory(tmp_path / "lab")
    command = _installed(lab)
    package_charts(lab.charts)
    environment = sealed_environment(lab)
    with subprocess.Popen(
        [str(command), "127.0.0.1:4711"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdin
        engine, proxy, authority, pid = process.stdout.readline().split()
        assert (engine, int(pid)) == ("127.0.0.1:4711", process.pid)
        assert proxy.startswith("http://127.0.0.1:")
        assert Path(authority).read_text().startswith("-----BEGIN CERTIFICATE")
        process.stdin.write("\n")
    # A lab that is brought up again from inside the seal keeps the choice, though HOME is another one.
    assert choice.plugin_file(environment) == plugin


def test_a_plugin_that_is_not_there_and_a_word_that_is_unknown_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LabError, match="PLUGINS='vendr' is unknown; PLUGINS=vendor"):
        choice.is_vendors({"PLUGINS": "vendr"})
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(LabError, match=r"no plugin .*/\.pulumi/plugins/.*\n.*pulumi plugin install"):
        choice.plugin_file({})
    assert not os.access(tmp_path / ".pulumi", os.F_OK)
