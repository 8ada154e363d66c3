"""Whether the kubeconfig leads to the cluster that was meant, and what a person is told where it does not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from stacks.settings.cluster import ClusterSettings, EksClusterSettings, ExistingClusterSettings
from stacks.updates.guards.cluster_identity import cluster_problems

TOKEN = "planted-token"


def _kubeconfig(file: Path, servers: dict[str, str]) -> Path:
    content: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": next(iter(servers), ""),
        "contexts": [
            {"name": name, "context": {"cluster": f"{name}-cluster", "user": "me"}} for name in servers
        ],
        "clusters": [
            {"name": f"{name}-cluster", "cluster": {"server": server}} for name, server in servers.items()
        ],
        "users": [{"name": "me", "user": {"token": TOKEN}}],
    }
    file.write_text(yaml.safe_dump(content))
    return file


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)


def _said(cluster: ClusterSettings, listed: str | None = None) -> str:
    """What is said where KUBECONFIG lists these files."""
    with pytest.MonkeyPatch.context() as patch:
        if listed is not None:
            patch.setenv("KUBECONFIG", listed)
        problems = cluster_problems(cluster)
    text = "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)
    assert TOKEN not in text
    return text


def _cluster(
    context: str = "gpu-cluster", kubeconfig: str | None = None, server: str | None = None
) -> ClusterSettings:
    return ExistingClusterSettings.model_construct(
        kind="existing", context=context, kubeconfig=kubeconfig, server=server
    )


def test_a_context_that_leads_to_another_server_is_refused_before_anything_happens(tmp_path: Path) -> None:
    file = _kubeconfig(tmp_path / "config", {"gpu-cluster": "https://admin:secret@10.9.9.9:6443"})
    assert _said(_cluster(kubeconfig=str(file), server="https://10.0.0.1:6443")) == (
        "Pulumi.dev.yaml: cluster.server = 'https://10.0.0.1:6443'\n"
        "  context gpu-cluster leads to another cluster, https://10.9.9.9:6443; "
        "nothing was created or changed\n"
        "  try: another context or kubeconfig; or this server, if the cluster's address has changed"
    )


@pytest.mark.parametrize("role", [None, "arn:aws:iam::123456789012:role/deployer"])
def test_a_made_cluster_without_a_context_is_told_with_the_command_that_makes_one(
    tmp_path: Path, role: str | None
) -> None:
    file = _kubeconfig(tmp_path / "config", {"staging": "https://b"})
    made = EksClusterSettings.model_construct(
        kind="eks", name="disagg-b200-tcp", region="us-east-1", assume_role=role
    )
    text = _said(made, str(file))
    command = "aws eks update-kubeconfig --name disagg-b200-tcp --region us-east-1 --alias disagg-b200-tcp"
    whole = f"{command} --role-arn {role}" if role else command
    assert f"  try: `{whole}`, once the stack has made the cluster" in text.splitlines()
    file.unlink()
    assert f"`{whole}`" in _said(made, str(file))


@pytest.mark.parametrize(
    ("typed", "listed", "says"),
    [
        (
            "~/absent",
            None,
            "Pulumi.dev.yaml: cluster.kubeconfig = '~/absent'\n  there is no such file: {home}/absent",
        ),
        (
            None,
            None,
            "Pulumi.dev.yaml: cluster.context = 'gpu-cluster'\n"
            "  there is no kubeconfig: KUBECONFIG is not set, and {home}/.kube/config does not exist\n"
            "  try: set KUBECONFIG, or write the path as cluster.kubeconfig",
        ),
        (
            None,
            "/absent/a:/absent/b",
            "Pulumi.dev.yaml: cluster.context = 'gpu-cluster'\n"
            "  no file that the environment variable KUBECONFIG names exists: /absent/a, /absent/b\n"
            "  try: set KUBECONFIG, or write the path as cluster.kubeconfig",
        ),
    ],
)
def test_a_kubeconfig_that_does_not_exist_is_named_with_what_named_it(
    tmp_path: Path, typed: str | None, listed: str | None, says: str
) -> None:
    assert _said(_cluster(kubeconfig=typed), listed) == says.format(home=tmp_path)


def test_the_file_in_the_home_folder_is_used_when_nothing_else_is_named(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    _kubeconfig(tmp_path / ".kube" / "config", {"gpu-cluster": "https://a"})
    assert _said(_cluster()) == ""


def test_a_typed_kubeconfig_counts_and_not_the_variable(tmp_path: Path) -> None:
    typed = _kubeconfig(tmp_path / "typed", {"gpu-cluster": "https://right"})
    other = _kubeconfig(tmp_path / "other", {"gpu-cluster": "https://wrong"})
    cluster = _cluster(kubeconfig=str(typed), server="https://right")
    assert _said(cluster, str(other)) == ""


def test_of_several_files_the_first_with_the_name_counts_and_missing_ones_are_passed_over(
    tmp_path: Path,
) -> None:
    first = _kubeconfig(tmp_path / "first", {"staging": "https://b"})
    second = _kubeconfig(tmp_path / "second", {"gpu-cluster": "https://right"})
    third = _kubeconfig(tmp_path / "third", {"gpu-cluster": "https://wrong"})
    listed = f"{tmp_path}/absent:{first}:{second}:{third}"
    assert _said(_cluster(server="https://right"), listed) == ""


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("contexts: [", "{file} cannot be read as a kubeconfig"),
        ("- a\n", "{file} cannot be read as a kubeconfig"),
        ("users:\n  - token: planted-token\n bad", "{file} cannot be read as a kubeconfig"),
        ("", "allowed: none: the kubeconfig has no contexts"),
        ("contexts: [{context: {cluster: a}}]", "allowed: none: the kubeconfig has no contexts"),
        (
            "contexts: [{name: gpu-cluster, context: {cluster: [a]}}]",
            """this context's cluster "['a']" has no server in the kubeconfig""",
        ),
        (
            "contexts: [{name: gpu-cluster, context: {cluster: a}}]\n"
            "clusters: [{name: a, cluster: {server: 'https://me:planted-token@[::1'}}]",
            "this context's cluster 'a' has a server that is no address in the kubeconfig",
        ),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_named_without_its_content(
    tmp_path: Path, content: str, says: str
) -> None:
    file = tmp_path / "config"
    file.write_text(content)
    assert _said(_cluster(kubeconfig=str(file))).endswith(says.format(file=file))


@pytest.mark.parametrize(
    ("typed", "is_same"),
    [
        ("https://API.example.com:443/", True),
        ("HTTPS://api.example.com/", True),
        ("http://api.example.com", False),
        ("https://api.example.com:6443", False),
        ("https://other.example.com", False),
        ("https://api.example.com/k8s/clusters/c-1", False),
    ],
)
def test_two_spellings_of_one_address_are_the_same_cluster(tmp_path: Path, typed: str, is_same: bool) -> None:
    file = _kubeconfig(tmp_path / "config", {"gpu-cluster": "https://api.example.com"})
    said = _said(_cluster(kubeconfig=str(file), server=typed))
    assert ("leads to another cluster" not in said) is is_same
