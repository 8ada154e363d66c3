"""The recorder and the pack beside the real engine, in a preview that reaches no cluster."""

import json
from pathlib import Path

import pytest

from tests.policy.comparable import comparable_graph
from tests.policy.program import ROOT, recorded_shipped, write_shipped
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

PACK = ROOT / "policy"


@pytest.mark.parametrize("name", ["dev", "disagg-b200-tcp"])
def test_the_engine_tells_a_pack_the_graph_that_the_recorder_tells(
    engine: Sandbox, tmp_path: Path, name: str
) -> None:
    told = tmp_path / "told.json"
    pack = tmp_path / "dump"
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
    target = write_shipped(tmp_path / name, name)
    engine.pulumi("stack", "init", name, cwd=target)
    packs = ("--policy-pack", str(pack), "--policy-pack", str(PACK))
    try:
        # Our own pack beside it: a shipped stack passes.
        engine.pulumi("preview", "--stack", name, *packs, cwd=target)
    finally:
        # Other tests of this process bring up the stack of this name and project.
        engine.pulumi("stack", "rm", "--yes", "--stack", name, cwd=target)
    assert json.loads(told.read_text()) == comparable_graph(recorded_shipped(name))
