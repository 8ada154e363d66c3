"""The seal: what a process in the lab can see of the person's own accounts and clusters."""

import subprocess
from pathlib import Path

import pytest

from lab.directory import LabDirectory
from lab.environment import exports, sealed_environment
from lab.toolchain.pulled import outside_variables

PLANTED = {
    "AWS_PROFILE": "production",
    "AWS_ACCESS_KEY_ID": "AKIAREALLOOKING",
    "AWS_SESSION_TOKEN": "real-looking",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/token",
    "GOOGLE_APPLICATION_CREDENTIALS": "/home/me/gcp.json",
    "KUBECONFIG": "/home/me/.kube/production",
    "KUBERNETES_SERVICE_HOST": "10.0.0.1",
    "PULUMI_ACCESS_TOKEN": "pul-real-looking",
    "PULUMI_BACKEND_URL": "s3://production-state",
    "PULUMI_CONFIG_PASSPHRASE": "production passphrase",
    "HF_TOKEN": "hf_reallooking",
    "HTTPS_PROXY": "http://user:password@proxy",
    "PYTHONPATH": "/home/me/other",
    "HOME": "/home/me",
}


@pytest.fixture
def directory(tmp_path: Path) -> LabDirectory:
    return LabDirectory(tmp_path / "lab")


def test_of_the_persons_variables_only_the_terminals_get_into_the_seal(directory: LabDirectory) -> None:
    terminal = {"TERM": "xterm", "LANG": "C.UTF-8", "CI": "true"}
    sealed = sealed_environment(directory, PLANTED | terminal)
    assert not set(PLANTED.values()) & set(sealed.values())
    assert not {"AWS_PROFILE", "PULUMI_ACCESS_TOKEN", "HF_TOKEN", "HTTPS_PROXY"} & set(sealed)
    assert {name: sealed[name] for name in terminal} == terminal


def test_nothing_but_what_reaches_the_package_index_comes_through_the_seal() -> None:
    secret = {"AWS_PROFILE": "production", "KUBECONFIG": "/root/.kube/config", "HF_TOKEN": "secret"}
    [told] = outside_variables(
        secret | {"HOME": "/root", "https_proxy": "http://p", "UV_INDEX": "i"}
    ).values()
    assert all(value not in told for value in secret.values())
    assert all(value in told for value in ("/root", "http://p", "i"))


def test_every_file_and_folder_that_a_client_writes_lies_inside_the_lab(directory: LabDirectory) -> None:
    sealed = sealed_environment(directory, PLANTED)
    for name in ("HOME", "KUBECONFIG", "KUBECACHEDIR", "PULUMI_HOME", "HELM_CACHE_HOME", "AWS_CONFIG_FILE"):
        assert Path(sealed[name]).is_relative_to(directory.root), name
    assert sealed["PULUMI_BACKEND_URL"] == f"file://{directory.backend}"


def test_a_shell_that_evaluates_the_exports_has_lost_the_persons_credentials(
    directory: LabDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in PLANTED.items():
        if name not in {"HOME", "PYTHONPATH"}:
            monkeypatch.setenv(name, value)
    script = f"{exports(directory)}\nenv"
    answer = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True)
    for name in ("AWS_PROFILE", "KUBERNETES_SERVICE_HOST", "PULUMI_ACCESS_TOKEN", "HF_TOKEN"):
        assert f"{name}=" not in answer.stdout
    assert f"KUBECONFIG={directory.kubeconfig}" in answer.stdout
