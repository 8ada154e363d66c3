"""What a person reads when recovery cannot begin; the real pulumi, and no cluster."""

import sys
from pathlib import Path

import pytest
import yaml

from lab.environment import CONTEXT
from tests.support.lab_stack import STACK
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

DYNAMO_STACK = str(Path(sys.executable).parent / "dynamo-stack")
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "contexts": [{"name": CONTEXT, "context": {"cluster": "c", "user": "u"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "u", "user": {"token": "t"}}],
}


def _refused(engine: Sandbox, project: Path, *options: str, **variables: str) -> str:
    answer = engine.run(
        DYNAMO_STACK, "recover", STACK, *options, cwd=project, check=False, variables=variables
    )
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr
    return answer.stderr


@pytest.fixture
def project(engine: Sandbox, checkout: Path) -> Path:
    """A project of a name of its own, whose stack exists in the backend and holds nothing."""
    file = checkout / "Pulumi.yaml"
    file.write_text(file.read_text().replace("name: dynamo-stack", f"name: {checkout.parent.name[:40]}"))
    text = (checkout / "Pulumi.dev.yaml").read_text()
    engine.pulumi("stack", "init", STACK, cwd=checkout)
    (checkout / "Pulumi.dev.yaml").write_text(text)
    return checkout


def test_a_stack_that_the_backend_does_not_know(engine: Sandbox, checkout: Path) -> None:
    file = checkout / "Pulumi.yaml"
    file.write_text(file.read_text().replace("name: dynamo-stack", "name: never-made"))
    said = _refused(engine, checkout, "--yes")
    assert "stack dev does not exist in the backend that pulumi is logged in to" in said
    assert "`pulumi stack init dev`" in said


@pytest.mark.parametrize("content", ["", '{"version": 3, "checkp', "{}"])
def test_a_state_that_cannot_be_read(engine: Sandbox, project: Path, content: str) -> None:
    name = yaml.safe_load((project / "Pulumi.yaml").read_text())["name"]
    (engine.directory.backend / ".pulumi" / "stacks" / name / f"{STACK}.json").write_text(content)
    said = _refused(engine, project, "--yes")
    assert "put its backup back, as docs/runbook/state-lost.md shows" in said


@pytest.mark.parametrize("absent", ["pulumi", "kubectl", "helm"])
def test_a_tool_that_is_not_installed(engine: Sandbox, checkout: Path, tmp_path: Path, absent: str) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in {"pulumi", "kubectl", "helm"} - {absent}:
        (tools / name).symlink_to(engine.directory.bin / name)
    said = _refused(engine, checkout, "--yes", PATH=str(tools))
    assert f"`{absent}` is needed and not on PATH" in said
    assert "https://" in said


def test_a_cluster_that_does_not_answer(engine: Sandbox, project: Path, tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(KUBECONFIG))
    before = (project / "Pulumi.dev.yaml").read_text()
    said = _refused(engine, project, "--yes", KUBECONFIG=str(kubeconfig))
    assert f"the cluster of context {CONTEXT} does not answer; nothing was changed" in said
    assert "127.0.0.1:1" in said
    assert f"`kubectl --context {CONTEXT} get nodes`" in said
    # To look is not to touch.
    assert (project / "Pulumi.dev.yaml").read_text() == before
