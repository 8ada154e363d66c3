"""The recorder and the pack beside the real engine, in a preview that reaches no cluster."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.policy.comparable import comparable_graph
from tests.policy.program import ROOT, recorded_shipped, write_shipped, write_toy
from tests.rules.judging import FITS, OPERATOR, mutated
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

PACK = ROOT / "policy"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("previews")


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


@pytest.mark.parametrize(
    ("name", "edits", "policy", "says"),
    [
        (
            "node",
            (('gpu: "4"', 'gpu: "16"'), ("tensor_parallel_size: 4", "tensor_parallel_size: 16")),
            FITS,
            "asks for 16 GPUs in one pod",
        ),
        ("edge", (), OPERATOR, "does not depend on platform"),
    ],
    ids=["node", "edge"],
)
def test_the_pack_stops_a_bad_preview(
    engine: Sandbox, folder: Path, name: str, edits: tuple[tuple[str, str], ...], policy: str, says: str
) -> None:
    target = initialised(engine, write_toy(folder / name, mutated(*edits), depends=name != "edge"))
    answer = preview(engine, target, "--policy-pack", str(PACK), check=False)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0, said
    for text in (f"[mandatory] [severity: high]  {policy}", says):
        assert text in said
    assert "Traceback" not in said


def initialised(engine: Sandbox, target: Path) -> Path:
    engine.pulumi("stack", "init", target.name, cwd=target)
    return target


def preview(
    engine: Sandbox, target: Path, *arguments: str, check: bool = True
) -> subprocess.CompletedProcess[str]:
    return engine.pulumi("preview", "--stack", target.name, *arguments, cwd=target, check=check)
