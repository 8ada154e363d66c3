"""Looking at a cluster that the stack itself makes: with its kubeconfig, which nobody else may read."""

import os
import shlex
import stat
from pathlib import Path

import pytest

from components.cluster_reader import ClusterReader
from failures.failed_operation import explanation
from tests.failures.conftest import failure

KUBECONFIG = '{"current-context": "gpt-oss"}'
CLAIM = {"metadata": {"name": "model-cache", "namespace": "gpt-oss"}}
# Keeps what the kubeconfig held, and its rights.
_SCRIPT = """#!/bin/sh
file=$2
stat --format %a "$file" > {folder}/rights
cp "$file" {folder}/seen
echo "$@" >> {folder}/asked
echo loading
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "kubectl"
    script.write_text(_SCRIPT.format(folder=tmp_path))
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_the_kubeconfig_is_that_of_the_cluster_and_is_gone_after_each_look(folder: Path) -> None:
    reader = ClusterReader("gpt-oss", content=KUBECONFIG)
    assert reader.log("decode-0") == "loading\n"
    assert (folder / "seen").read_text() == KUBECONFIG
    assert (folder / "rights").read_text().strip() == "600"
    _, file, *rest = shlex.split((folder / "asked").read_text().splitlines()[0])
    assert rest == ["--context", "gpt-oss", "logs", "decode-0"]
    assert not os.path.lexists(file)


def test_before_the_cluster_is_there_nothing_is_asked(folder: Path) -> None:
    reader = ClusterReader("gpt-oss", content="")
    failed = failure("PersistentVolumeClaim", CLAIM, "Timeout occurred polling")
    assert "The wait for claim model-cache ended" in (explanation(reader, failed) or "")
    assert not (folder / "asked").exists()
    assert reader.command("get", "pods") == "kubectl --context gpt-oss get pods"
