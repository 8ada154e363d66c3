"""Another Kubernetes plugin than the stand-in, and what the vendor's is started with."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from lab import plugins
from lab.charts import package_charts
from lab.directory import REPOSITORY, LabDirectory
from lab.environment import KUBERNETES_PLUGIN, sealed_environment

if TYPE_CHECKING:
    import pytest

# Says what it was given, and waits as a plugin does.
PLUGIN = '#!/bin/sh\necho "$1 $HTTPS_PROXY $SSL_CERT_FILE $$"\nread ended\n'


def _installed(lab: LabDirectory) -> Path:
    lab.create()
    plugins.install(lab, {})
    wanted = version("pulumi-kubernetes")
    return lab.pulumi_home / "plugins" / f"resource-kubernetes-v{wanted}" / "pulumi-resource-kubernetes"


def _asked(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.support.vendor_plugin"],
        cwd=REPOSITORY,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_vendors_plugin_starts_with_the_lab_s_charts_in_reach_as_the_engines_own_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable = tmp_path / "vendors-plugin"
    executable.write_text(PLUGIN)
    executable.chmod(0o755)
    command = _asked(VENDOR_KUBERNETES_PLUGIN=str(executable)).stdout.strip()
    monkeypatch.setenv(KUBERNETES_PLUGIN, command)
    lab = LabDirectory(tmp_path / "lab")
    plugin = _installed(lab)
    package_charts(lab.charts)
    environment = sealed_environment(lab)
    with subprocess.Popen(
        [str(plugin), "127.0.0.1:4711"],
        cwd=tmp_path,
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
    # A lab that is brought up again from inside the seal keeps the choice.
    assert environment[KUBERNETES_PLUGIN] == command


def test_a_plugin_that_is_not_there_is_named(tmp_path: Path) -> None:
    answer = _asked(HOME=str(tmp_path), VENDOR_KUBERNETES_PLUGIN="")
    assert answer.returncode == 1
    assert f"there is no plugin {tmp_path}/.pulumi/plugins/" in answer.stderr
    assert "pulumi plugin install" in answer.stderr
