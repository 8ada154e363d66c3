"""The recorder and the pack beside the real engine, in a preview that reaches no cluster."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from resource_graph import Resource
from resource_graph.wire import plain_state
from tests.policy.comparable import comparable_graph
from tests.policy.program import ROOT, recorded_shipped, recorded_toy, write_shipped, write_toy
from tests.rules.judging import FITS, GPUS, OPERATOR, mutated
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

PACK = ROOT / "policy"
EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("previews")


@pytest.fixture(scope="module")
def many_gpus(engine: Sandbox, folder: Path) -> Path:
    """A program with a defect that the pack stops."""
    return initialised(engine, write_toy(folder / "many-gpus", mutated(EIGHT_GPUS)))


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
    target = initialised(engine, write_toy(folder / "sound", mutated()))
    answer = preview(engine, target, "--json")
    steps = json.loads(answer.stdout)["steps"]
    states = {step["urn"]: step["newState"] for step in steps}
    graph = {resource.urn: resource for resource in recorded_toy(mutated(), target.name)}
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
            assert graph[urn].inputs == plain_state(state.get("inputs", {})).values, urn


@pytest.mark.parametrize("name", ["dev", "disagg-b200-tcp"])
def test_the_engine_tells_a_pack_the_graph_that_the_recorder_tells(
    engine: Sandbox, folder: Path, name: str
) -> None:
    told = folder / f"{name}.json"
    pack = folder / f"dump-{name}"
    pack.mkdir()
    (pack / "PulumiPolicy.yaml").write_text(
        f"runtime: {{name: python, options: {{virtualenv: {ROOT / '.venv'}}}}}\n"
    )
    (pack / "__main__.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from tests.policy.dump_pack import run\n"
        f"run(Path({str(told)!r}))\n"
    )
    target = initialised(engine, write_shipped(folder / name, name))
    try:
        # Our own pack beside it: a shipped stack passes.
        preview(engine, target, "--policy-pack", str(pack), "--policy-pack", str(PACK))
    finally:
        # Other tests of this process bring up the stack of this name and project.
        engine.pulumi("stack", "rm", "--yes", "--stack", name, cwd=target)
    assert json.loads(told.read_text()) == comparable_graph(recorded_shipped(name))


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
    target = initialised(engine, write_toy(folder / bad.name, mutated(*bad.edits), depends=bad.depends))
    answer = preview(engine, target, "--policy-pack", str(PACK), check=False)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0, said
    for text in (f"[mandatory] [severity: high]  {bad.policy}", bad.says):
        assert text in said
    assert "Traceback" not in said


def test_each_rule_is_enforced_as_the_configuration_of_the_pack_says(
    engine: Sandbox, many_gpus: Path
) -> None:
    assert f"[mandatory] [severity: high]  {GPUS}" in configured(engine, many_gpus, {}).stdout
    advisory = configured(engine, many_gpus, {"all": "advisory", OPERATOR: "mandatory"})
    assert advisory.returncode == 0, advisory.stdout
    assert f"[advisory] [severity: high]  {GPUS}" in advisory.stdout
    only = configured(
        engine, many_gpus, {"all": "disabled", "resource-inputs": "advisory", GPUS: "mandatory"}
    )
    assert only.returncode != 0
    assert only.stdout.count("[severity: ") == 1
    off = configured(engine, many_gpus, {"all": "advisory", GPUS: {"enforcementLevel": "disabled"}})
    assert off.returncode == 0
    assert GPUS not in off.stdout


def test_a_configuration_that_leaves_the_rules_blind_ends_the_preview(
    engine: Sandbox, many_gpus: Path
) -> None:
    answer = configured(engine, many_gpus, {"all": "disabled", GPUS: "mandatory"})
    assert answer.returncode != 0
    assert "resource-inputs is disabled, so no rule sees anything" in answer.stdout + answer.stderr


def configured(
    engine: Sandbox, target: Path, configuration: dict[str, object]
) -> subprocess.CompletedProcess[str]:
    file = target / "policies.json"
    file.write_text(json.dumps(configuration))
    arguments = ("--policy-pack", str(PACK), "--policy-pack-config", str(file))
    return preview(engine, target, *arguments, check=False)


def initialised(engine: Sandbox, target: Path) -> Path:
    engine.pulumi("stack", "init", target.name, cwd=target)
    return target


def preview(
    engine: Sandbox, target: Path, *arguments: str, check: bool = True
) -> subprocess.CompletedProcess[str]:
    return engine.pulumi("preview", "--stack", target.name, *arguments, cwd=target, check=check)
