"""Looking at a cluster that the stack itself makes: with its kubeconfig, which nobody else may read."""

import os
import shlex
import stat
from pathlib import Path
from typing import Any, cast

import pulumi
import pytest

from failures.failed_operation import explanation
from failures.hook import own_cluster
from tests.failures.conftest import failure

CONTEXT_MADE_BY = "aws eks update-kubeconfig --name gpt-oss --region us-east-1 --alias gpt-oss"
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


@pytest.fixture
def learners(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is told of all that the program registers."""
    found: list[Any] = []
    monkeypatch.setattr(pulumi.runtime, "register_stack_transformation", found.append)
    return found


def _registration(kind: str, props: dict[str, Any]) -> pulumi.ResourceTransformationArgs:
    return pulumi.ResourceTransformationArgs(
        cast("Any", None), kind, "cluster", props, pulumi.ResourceOptions()
    )


@pulumi.runtime.test
def test_the_kubeconfig_is_that_of_the_provider_and_is_gone_after_each_look(
    folder: Path, learners: list[Any]
) -> pulumi.Output[Any]:
    cluster = own_cluster("gpt-oss", CONTEXT_MADE_BY)
    known = pulumi.Output.from_input(KUBECONFIG)
    learners[0](_registration("pulumi:providers:kubernetes", {"kubeconfig": known}))

    def look(_: str) -> None:
        reader = cluster()
        assert (reader.context, reader.content) == ("gpt-oss", KUBECONFIG)
        assert reader.log("decode-0") == "loading\n"
        assert (folder / "seen").read_text() == KUBECONFIG
        assert (folder / "rights").read_text().strip() == "600"
        _, file, *rest = shlex.split((folder / "asked").read_text().splitlines()[0])
        assert rest == ["--context", "gpt-oss", "logs", "decode-0"]
        assert not os.path.lexists(file)

    return known.apply(look)


def test_before_the_cluster_is_there_nothing_is_asked(folder: Path, learners: list[Any]) -> None:
    cluster = own_cluster("gpt-oss", CONTEXT_MADE_BY)
    learners[0](_registration("kubernetes:core/v1:Secret", {"kubeconfig": KUBECONFIG}))
    failed = failure("PersistentVolumeClaim", CLAIM, "Timeout occurred polling")
    assert "The wait for claim model-cache ended" in (explanation(cluster(), failed) or "")
    assert not (folder / "asked").exists()
    # What a person types leads to the cluster after one command.
    assert cluster().once == CONTEXT_MADE_BY
    assert cluster().command("get", "pods") == "kubectl --context gpt-oss get pods"
