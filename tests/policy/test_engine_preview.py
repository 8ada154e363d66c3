"""The recorder and the pack beside the real engine, in a preview that reaches no cluster."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from resource_graph import Resource
from resource_graph.wire import plain_json
from tests.policy.program import PROJECT, STACK, recorded
from tests.rules.judging import FITS, GPUS, OPERATOR, mutated
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]


def project(folder: Path, text: str, *, depends: bool = True) -> Path:
    folder.mkdir()
    (folder / "deploy.yaml").write_text(text)
    (folder / "Pulumi.yaml").write_text(
        f"name: {PROJECT}\nruntime: {{name: python, options: {{virtualenv: {ROOT / '.venv'}}}}}\n"
    )
    (folder / "__main__.py").write_text(
        f"import sys\nsys.path.append({str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from tests.policy.program import program\n"
        f"program(Path('deploy.yaml').read_text(), depends={depends})\n"
    )
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("previews")


def comparable(resource: Resource) -> tuple[object, ...]:
    timeouts = resource.custom_timeouts
    return (
        resource.type,
        resource.custom,
        resource.parent,
        resource.provider,
        resource.dependencies,
        resource.protect,
        resource.retain_on_delete,
        (timeouts.create or 0, timeouts.delete or 0),
    )


def test_the_recorder_names_and_connects_resources_as_the_engine_does(engine: Sandbox, folder: Path) -> None:
    target = project(folder / "sound", mutated())
    engine.pulumi("stack", "init", STACK, cwd=target)
    answer = engine.pulumi("preview", "--json", "--stack", STACK, cwd=target)
    steps = json.loads(answer.stdout)["steps"]
    states = {step["urn"]: step["newState"] for step in steps}
    graph = {resource.urn: resource for resource in recorded(mutated())}
    assert set(states) == set(graph)
    for urn, state in states.items():
        timeouts = state.get("customTimeouts", {})
        provider = state.get("provider", "").rpartition("::")[0] or None
        assert comparable(graph[urn]) == (
            state["type"],
            state["custom"],
            state.get("parent"),
            provider,
            frozenset(state.get("dependencies", [])),
            state.get("protect", False),
            state.get("retainOnDelete", False),
            (timeouts.get("create", 0), timeouts.get("delete", 0)),
        ), urn
        if not state["type"].startswith("pulumi:providers:"):
            # The engine adds the plugin's version to a provider's inputs.
            assert graph[urn].inputs == plain_json(state.get("inputs", {})), urn


@dataclass(frozen=True)
class Bad:
    """A change that must stop a preview."""

    name: str
    edits: tuple[tuple[str, str], ...]
    policy: str
    says: str
    depends: bool = True


@pytest.mark.parametrize(
    "bad",
    [
        Bad("gpus", (('gpu: "4"', 'gpu: "8"'),), GPUS, "asks for 8 GPUs, but its engine uses 4"),
        Bad(
            "node",
            (('gpu: "4"', 'gpu: "16"'), ("tensor_parallel_size: 4", "tensor_parallel_size: 16")),
            FITS,
            "asks for 16 GPUs in one pod",
        ),
        Bad("edge", (), OPERATOR, "does not depend on platform", depends=False),
    ],
    ids=lambda bad: bad.name,
)
def test_the_pack_stops_a_bad_preview(engine: Sandbox, folder: Path, bad: Bad) -> None:
    target = project(folder / bad.name, mutated(*bad.edits), depends=bad.depends)
    answer = preview_with_pack(engine, target)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0, said
    for text in ("[mandatory]", bad.policy, bad.says):
        assert text in said
    assert "Traceback" not in said


def test_the_pack_lets_a_sound_preview_pass(engine: Sandbox, folder: Path) -> None:
    answer = preview_with_pack(engine, project(folder / "passes", mutated()))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "[mandatory]" not in answer.stdout
    assert "[advisory]" not in answer.stdout


def preview_with_pack(engine: Sandbox, target: Path) -> subprocess.CompletedProcess[str]:
    stack = f"{STACK}-{target.name}"
    engine.pulumi("stack", "init", stack, cwd=target)
    arguments = ("preview", "--stack", stack, "--policy-pack", str(ROOT / "policy"))
    return engine.pulumi(*arguments, cwd=target, check=False)
