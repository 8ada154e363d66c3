"""The pack on a program that this project did not write, in a folder and an environment of its own."""

import json
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.rules.judging import GPUS
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

PACK = Path(__file__).parents[2] / "policy"
STACK = "elsewhere"
PROGRAM = """
import asyncio, importlib.util, sys

import pulumi
import pulumi_kubernetes as kubernetes

from rules import GPUS

assert importlib.util.find_spec("hardware") is None, "this environment knows nothing of dynamo-stack"

def known_later(value):
    def ready(result):
        future = asyncio.get_running_loop().create_future()
        future.set_result(result)
        return future
    return pulumi.Output(set(), ready(value), ready(False))

provider = kubernetes.Provider("somewhere", kubeconfig=known_later(""))
kubernetes.apps.v1.Deployment(
    "llm",
    metadata={"name": "llm"},
    spec={
        "selector": {"matchLabels": {"app": "llm"}},
        "template": {
            "metadata": {"labels": {"app": "llm"}},
            "spec": {
                "containers": [
                    {
                        "name": "engine",
                        "image": "nvcr.io/nvidia/tensorrt-llm/release:1.1.0",
                        "command": ["trtllm-serve", "openai/gpt-oss-120b", "--tp_size", "4"],
                        "resources": {"limits": {"nvidia.com/gpu": GPUS}},
                    }
                ]
            },
        },
    },
    opts=pulumi.ResourceOptions(provider=provider),
)
pulumi.export("python", sys.prefix)
"""


@pytest.fixture(scope="module")
def program(engine: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere")
    _environment(folder / "env")
    (folder / "rules").mkdir()
    (folder / "rules" / "__init__.py").write_text('GPUS = "8"\n')
    (folder / "__main__.py").write_text(PROGRAM)
    (folder / "Pulumi.yaml").write_text(
        "name: elsewhere\nruntime: {name: python, options: {virtualenv: env}}\n"
    )
    engine.pulumi("stack", "init", STACK, cwd=folder)
    return folder


def _environment(folder: Path) -> None:
    """A virtual environment with the SDKs and without this project."""
    venv.create(folder, with_pip=False, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # The installed packages are found where they are. The link to this project is in a .pth file there, and
    # such files count only in an environment's own folder.
    (packages / "sdks.pth").write_text(sysconfig.get_path("purelib") + "\n")


def test_the_pack_stops_a_foreign_program_that_has_its_own_rules(engine: Sandbox, program: Path) -> None:
    answer = preview(engine, program, {})
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0, said
    assert f"[mandatory] [severity: high]  {GPUS}  (kubernetes:apps/v1:Deployment: llm)" in said
    assert "asks for 8 GPUs, but its engine uses 4" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(("level", "shown"), [("advisory", True), ("disabled", False)])
def test_its_configuration_weakens_a_rule(engine: Sandbox, program: Path, level: str, *, shown: bool) -> None:
    answer = preview(engine, program, {"all": "advisory", GPUS: level})
    assert answer.returncode == 0, answer.stdout
    assert f'python: "{program / "env"}"' in answer.stdout
    assert (f"[advisory] [severity: high]  {GPUS}" in answer.stdout) is shown


def preview(
    engine: Sandbox, program: Path, configuration: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    file = program / "policies.json"
    file.write_text(json.dumps(configuration))
    arguments = ("--policy-pack", str(PACK), "--policy-pack-config", str(file))
    return engine.pulumi("preview", "--stack", STACK, *arguments, cwd=program, check=False)
