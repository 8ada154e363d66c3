"""helm.v3.Release: one opaque resource, by the real Helm."""

import json

import pytest

from tests.lab.conformance.charts import write_chart
from tests.lab.conformance.toy import Toy

_RELEASE = """
    release = k8s.helm.v3.Release("toy", name="toy", namespace=NAMESPACE, chart={chart!r},
                                  values={values}, {more})
"""
_PLANTED = "planted-in-values"
_LOGGING_HELM = """#!/bin/sh
echo "$@" >> {log}
exec {helm} "$@"
"""


@pytest.fixture
def chart(toy: Toy) -> str:
    return str(write_chart(toy.folder / "chart"))


def _program(chart: str, values: str = "{}", more: str = "") -> str:
    return _RELEASE.format(chart=chart, values=values, more=more)


def test_a_release_is_installed_upgraded_and_uninstalled_by_helm(toy: Toy, chart: str) -> None:
    toy.up(_program(chart))
    outputs = toy.state("toy")["outputs"]
    assert outputs["resourceNames"] == {
        "ConfigMap/v1": [f"{toy.namespace}/toy"],
        "Deployment.apps/apps/v1": [f"{toy.namespace}/toy"],
    }
    assert outputs["status"] == {
        "appVersion": "7", "chart": "toy-chart", "name": "toy", "namespace": toy.namespace,
        "revision": 1, "status": "deployed", "version": "1.0.0",
    }  # fmt: skip
    assert toy.get("deployment", "toy")["status"]["readyReplicas"] == 1
    toy.up(_program(chart, '{"greeting": "again"}'))
    assert toy.get("configmap", "toy")["data"] == {"greeting": "again"}
    assert toy.state("toy")["outputs"]["status"]["revision"] == 2
    toy.pulumi("preview", "--expect-no-changes")
    # Rendered objects are Helm's: a refresh does not look at them.
    toy.kubectl("patch", "configmap", "toy", "--patch", '{"data": {"greeting": "changed"}}')
    assert not toy.drift()
    toy.destroy()
    assert toy.get("deployments,replicasets,pods")["items"] == []
    assert json.loads(_helm(toy, "list", "--all", "--output", "json")) == []


def test_a_chart_that_cannot_be_had_fails_the_preview(toy: Toy) -> None:
    output = toy.failing(
        "preview", program=_program("absent", more='repository_opts={"repo": "https://nowhere.example.com"}')
    )
    assert "check the chart name and repository configuration." in output
    assert "nowhere.example.com" in output


def test_a_failed_install_that_helm_keeps_is_in_the_state(toy: Toy, chart: str) -> None:
    huge = '{"cpu": "9000"}'
    output = toy.failing_up(_program(chart, huge, "timeout=2"))
    assert f'Helm release "{toy.namespace}/toy" was created, but failed to initialize completely.' in output
    assert "failed to become available within allocated timeout. Error: Helm Release" in output
    assert toy.state("toy")["outputs"]["status"]["status"] == "failed"
    toy.up(_program(chart, '{"cpu": "2"}'))
    assert toy.state("toy")["outputs"]["status"]["status"] == "deployed"


def test_a_preview_of_a_release_asks_no_cluster_and_knows_no_result(toy: Toy, chart: str) -> None:
    program = (
        _program(chart)
        + """
    from pathlib import Path
    release.resource_names.apply(lambda _: Path("names").touch())
    release.status.apply(lambda status: Path("status").touch() if status and status.revision else None)
    """
    )
    toy.preview(program, variables={"KUBECONFIG": "/nonexistent"})
    assert not (toy.folder / "names").exists()
    assert not (toy.folder / "status").exists()


def test_values_are_secret_in_the_recorded_inputs_and_on_no_command_line(toy: Toy, chart: str) -> None:
    log, helm = toy.folder / "helm.log", toy.folder / "bin" / "helm"
    helm.parent.mkdir()
    helm.write_text(_LOGGING_HELM.format(log=log, helm=toy.lab.directory.bin / "helm"))
    helm.chmod(0o755)
    path = f"{helm.parent}:{toy.lab.environment['PATH']}"
    secret = f'{{"greeting": pulumi.Output.secret("{_PLANTED}")}}'
    output = toy.up(_program(chart, secret), variables={"PATH": path})
    assert "install toy" in log.read_text()
    assert _PLANTED not in log.read_text()
    assert _PLANTED not in output
    assert toy.files_holding(_PLANTED) == []
    # All of them, also those that nobody called secret.
    assert set(toy.state("toy")["outputs"]["__inputs"]) == {"4dabf18193072939515e22adb298388d", "ciphertext"}
    assert toy.get("configmap", "toy")["data"] == {"greeting": _PLANTED}


def test_a_release_that_is_gone_is_seen_by_a_refresh_and_an_error_for_a_delete(toy: Toy, chart: str) -> None:
    toy.up(_program(chart))
    _helm(toy, "uninstall", "toy")
    assert toy.drift()
    assert "release: not found" in toy.failing("destroy", "--yes", "--skip-preview")


def _helm(toy: Toy, *arguments: str) -> str:
    return toy.lab.run("helm", "--namespace", toy.namespace, *arguments).stdout
