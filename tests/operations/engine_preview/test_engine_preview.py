"""`dynamo-stack preview` on the real engine with the policy pack, in a preview that reaches no cluster."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import read_document
from tests.policy.program import ROOT, write_shipped, write_toy
from tests.rules.judging import GPUS, mutated
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

DYNAMO_STACK = str(Path(sys.executable).parent / "dynamo-stack")


def previewed(engine: Sandbox, target: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # The pack names the environment beside its folder.
    for name in ("policy", ".venv"):
        (target / name).symlink_to(ROOT / name, target_is_directory=True)
    engine.pulumi("stack", "init", target.name, cwd=target)
    try:
        return engine.run(
            DYNAMO_STACK,
            "preview",
            target.name,
            *options,
            cwd=target,
            check=False,
            variables={"PYTHONPATH": str(ROOT)},
        )
    finally:
        engine.pulumi("stack", "rm", "--yes", "--stack", target.name, cwd=target)


def test_a_sound_program_has_its_resources_to_create(engine: Sandbox, tmp_path: Path) -> None:
    answer = previewed(engine, write_shipped(tmp_path / "sound-preview", "dev"), "--json")
    assert (answer.returncode, answer.stderr) == (1, ""), answer.stdout
    document = read_document("preview", answer.stdout)
    assert (document["verdict"], document["refused"]) == ("changes", [])
    assert {each["operation"] for each in document["resources"]} == {"create"}
    titles = [each["title"] for each in document["resources"]]
    assert "DynamoGraphDeployment gpt-oss/gpt-oss-disagg" in titles
    assert all(each["severity"] == "advisory" for each in document["findings"])


def test_a_mandatory_finding_of_the_pack_ends_with_exit_code_2(engine: Sandbox, tmp_path: Path) -> None:
    answer = previewed(engine, write_toy(tmp_path / "bad-preview", mutated(('gpu: "4"', 'gpu: "8"'))))
    assert answer.returncode == 2, answer.stderr
    assert f"mandatory finding: {GPUS} on " in answer.stdout
    assert "asks for 8 GPUs" in answer.stdout
    assert "Traceback" not in answer.stderr
