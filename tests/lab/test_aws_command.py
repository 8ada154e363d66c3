"""`aws` on the lab's PATH: one command, and nothing that looks like another."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.directory import LabDirectory
from lab.environment import CONTEXT

GET_TOKEN = ("eks", "get-token", "--cluster-name", "one", "--region", "us-east-1")


@pytest.fixture
def lab(tmp_path: Path) -> LabDirectory:
    """A lab with a kubeconfig and a cluster in its account; neither runs."""
    made = LabDirectory(tmp_path / "lab")
    made.create()
    made.cloud.mkdir()
    user = {f"client-{part}": str(made.root / part) for part in ("certificate", "key")}
    for part in ("certificate", "key"):
        (made.root / part).write_text(part)
    config = {
        "contexts": [{"name": CONTEXT, "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": user}],
    }
    made.kubeconfig.write_text(yaml.safe_dump(config))
    store = {"eks-clusters": {"us-east-1/one": {"name": "one"}}}
    (made.cloud / "store.json").write_text(json.dumps(store))
    return made


def aws(lab: LabDirectory, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "lab.aws_command", *arguments],
        env={"LAB_DIR": str(lab.root)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def credential(answer: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_a_token_is_the_client_certificate_of_the_lab_as_an_exec_credential(lab: LabDirectory) -> None:
    made = credential(aws(lab, *GET_TOKEN))
    assert (made["kind"], made["apiVersion"]) == (
        "ExecCredential",
        "client.authentication.k8s.io/v1beta1",
    )
    assert made["status"] == {"clientCertificateData": "certificate", "clientKeyData": "key"}


@pytest.mark.parametrize(("option", "value"), [("--cluster-name", "two"), ("--region", "eu-west-1")])
def test_a_token_for_another_cluster_does_not_open_this_one(
    lab: LabDirectory, option: str, value: str
) -> None:
    arguments: list[str] = list(GET_TOKEN)
    arguments[arguments.index(option) + 1] = value
    status = credential(aws(lab, *arguments))["status"]
    assert list(status) == ["token"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("s3", "ls"),
        (*GET_TOKEN, "--profile", "production"),
        ("eks", "get-token", "--cluster-name", "one"),
    ],
    ids=" ".join,
)
def test_any_other_command_line_is_not_understood(lab: LabDirectory, arguments: tuple[str, ...]) -> None:
    answer = aws(lab, *arguments)
    assert (answer.returncode, answer.stdout) == (252, "")
    assert "aws" in answer.stderr
