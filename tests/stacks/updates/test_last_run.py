"""What the program reads of its last run, from the real engine."""

import json
from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from tests.support.sandbox import Sandbox

_PROGRAM = f"""
import json
import os
import sys

import pulumi

sys.path.insert(0, {str(REPOSITORY)!r})

from stacks.updates.last_run import last_run


class Thing(pulumi.ComponentResource):
    def __init__(self, name, size):
        super().__init__("toy:components:Thing", name)
        self.register_outputs({{"metadata": {{"uid": f"size {{size}}"}}, "nothing": None}})


run = last_run()
with open(os.environ["SEEN"], "w") as seen:
    json.dump({{"fixed": dict(run.fixed), "uids": dict(run.uids)}}, seen)
pulumi.export("fixedAtCreation", {{"size": int(os.environ["SIZE"])}})
pulumi.export("secret", pulumi.Output.secret("planted-value"))
thing = Thing("thing", int(os.environ["SIZE"]))
pulumi.log.warn("the thing restarts\\n  interruption: about 31 min", resource=thing)
"""


@pytest.mark.engine
def test_the_program_sees_what_exists_and_keeps_no_copy_and_a_person_sees_what_it_says(
    engine: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: toy\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(_PROGRAM)
    name = f"toy-{tmp_path.name}"
    engine.pulumi("stack", "init", name, cwd=tmp_path)
    stack_file = tmp_path / f"Pulumi.{name}.yaml"
    stack_file.write_text(f'{stack_file.read_text()}config:\n  pulumi:disable-default-providers: ["*"]\n')

    def run(*command: str, size: int, **variables: str) -> str:
        variables |= {"SIZE": str(size), "SEEN": str(tmp_path / "seen.json")}
        return engine.pulumi(*command, "--non-interactive", cwd=tmp_path, variables=variables).stdout

    def seen() -> dict[str, dict[str, object]]:
        return json.loads((tmp_path / "seen.json").read_text())

    said = run("preview", size=1)
    assert seen() == {"fixed": {}, "uids": {}}
    assert "Diagnostics:" in said
    assert "warning: the thing restarts\n      interruption: about 31 min" in said
    run("up", "--yes", "--skip-preview", size=1)
    said = run("preview", size=2)
    assert seen()["fixed"] == {"size": 1}
    urn = f"urn:pulumi:{name}::toy::toy:components:Thing::thing"
    assert seen()["uids"][urn] == "size 1"
    assert "planted-value" not in said
    exported = engine.pulumi("stack", "export", cwd=tmp_path).stdout
    assert "planted-value" not in exported
    assert {resource["type"] for resource in json.loads(exported)["deployment"]["resources"]} == {
        "pulumi:pulumi:Stack",
        # Of the engine itself; it leaves with the stack.
        "pulumi:providers:pulumi",
        "toy:components:Thing",
    }
