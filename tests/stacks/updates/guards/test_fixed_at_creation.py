"""What is fixed when a stack is created: the comparison, and the real engine with a program that uses it."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from lab.directory import REPOSITORY
from stacks.updates.guards.fixed_at_creation import changed_problems
from tests.support.sandbox import Sandbox

Values = dict[str, Any]
NOW: Values = {
    "platform.kind": "own",
    "platform.discovery": "etcd",
    "platform.nats.kind": "own",
    "platform.nats.members": 3,
    "platform.etcd.kind": "own",
    "platform.etcd.members": 3,
}
OWN_NATS = {"platform.nats.kind": "own"}
BUNDLED_NATS = {"platform.nats.kind": "bundled"}
CLASS = "platform.nats.storageClassName"
SIZE = "platform.nats.volumeSize"
GUIDE_PAGE = "docs/change-what-is-fixed.md"
GUIDE = (REPOSITORY / GUIDE_PAGE).read_text(encoding="utf-8")


def _said(before: Values, rebuilt: str = "", now: Values = NOW) -> str:
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in changed_problems(before, now, rebuilt))


@pytest.mark.parametrize(
    "before",
    [
        pytest.param({}, id="a stack that has never run"),
        pytest.param(NOW | {"platform.nats.members": 3.0}, id="a number after its way through the engine"),
    ],
)
def test_what_is_no_change_of_something_fixed_is_taken(before: Values) -> None:
    assert _said(before) == ""


def test_a_changed_discovery_is_refused_with_the_guide() -> None:
    assert _said(NOW | {"platform.discovery": "kubernetes"}) == (
        "Pulumi.dev.yaml: platform.discovery = 'etcd'\n"
        "  fixed at kubernetes when this stack was created; nothing was created or changed\n"
        "  allowed: kubernetes\n"
        f"  try: platform.discovery: kubernetes; or, with an interruption, as {GUIDE_PAGE} says"
    )


@pytest.mark.parametrize(
    ("key", "before", "now", "says"),
    [
        ("platform.nats.members", NOW | {"platform.nats.members": 1.0}, NOW, "= 3\n  fixed at 1"),
        ("platform.etcd.members", NOW | {"platform.etcd.members": 1.0}, NOW, "= 3\n  fixed at 1"),
        ("platform.nats.kind", NOW | BUNDLED_NATS, NOW, "= 'own'\n  fixed at bundled"),
        (CLASS, OWN_NATS | {CLASS: "old"}, OWN_NATS | {CLASS: "new"}, "= 'new'\n  fixed at old"),
        (SIZE, OWN_NATS | {SIZE: "old"}, OWN_NATS | {SIZE: "new"}, "= 'new'\n  fixed at old"),
    ],
)
def test_changed_servers_are_refused(key: str, before: Values, now: Values, says: str) -> None:
    assert f"Pulumi.dev.yaml: {key} {says} when this stack was created" in _said(before, now=now)


@pytest.mark.parametrize(
    ("before", "now", "key"),
    [
        (OWN_NATS | {CLASS: "old"}, BUNDLED_NATS | {CLASS: "new"}, "platform.nats.kind"),
        ({"platform.kind": "existing", "platform.discovery": "kubernetes"}, NOW, "platform.kind"),
    ],
)
def test_what_is_new_with_another_kind_is_no_problem_of_its_own(
    before: Values, now: Values, key: str
) -> None:
    [problem] = changed_problems(before, now)
    assert problem.key == key
    assert changed_problems(before, now, key) == ()


def test_what_was_rebuilt_may_have_another_value() -> None:
    before = NOW | {"platform.nats.members": 1, "platform.etcd.members": 1}
    assert _said(before, "platform.nats.members, platform.etcd.members") == ""
    assert "platform.etcd.members" in _said(before, "platform.nats.members")


_PROGRAM = f"""
import os
import sys

import pulumi

sys.path.insert(0, {str(REPOSITORY)!r})

from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME, REBUILT_VARIABLE, changed_problems
from stacks.updates.last_run import last_run


class Thing(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("toy:components:Thing", name)
        self.register_outputs({{}})


values = {{"platform.nats.members": int(os.environ["MEMBERS"])}}
rebuilt = os.environ.get(REBUILT_VARIABLE, "")
problems = changed_problems(last_run().fixed, values, rebuilt)
if problems:
    raise pulumi.RunError(problems[0].text("Pulumi.toy.yaml"))
pulumi.export(OUTPUT_NAME, values)
Thing(os.environ["MEMBERS"])
if os.environ.get("FAIL"):
    raise RuntimeError("planted failure")
"""


@pytest.fixture
def project(engine: Sandbox, tmp_path: Path) -> Path:
    """A stack whose program exports and compares one fixed value."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: toy\nruntime: python\n")
    (folder / "__main__.py").write_text(_PROGRAM)
    engine.pulumi("stack", "init", f"toy-{tmp_path.name}", cwd=folder)
    stack_file = folder / f"Pulumi.toy-{tmp_path.name}.yaml"
    # As in every stack of this project: the engine's own function needs no default provider of a package.
    stack_file.write_text(f'{stack_file.read_text()}config:\n  pulumi:disable-default-providers: ["*"]\n')
    return folder


def _run(engine: Sandbox, project: Path, command: str, members: int, **variables: str) -> tuple[int, str]:
    arguments = ["up", "--yes", "--skip-preview"] if command == "up" else [command]
    answer = engine.pulumi(
        *arguments, cwd=project, check=False, variables={"MEMBERS": str(members), **variables}
    )
    return answer.returncode, answer.stdout + answer.stderr


def _names(engine: Sandbox, project: Path) -> set[str]:
    state = json.loads(engine.pulumi("stack", "export", cwd=project).stdout)["deployment"]
    return {resource["urn"].split("::", 2)[2] for resource in state["resources"]}


@pytest.mark.engine
def test_a_value_is_fixed_by_a_first_run_that_failed_and_until_the_stack_is_destroyed(
    engine: Sandbox, project: Path
) -> None:
    assert _run(engine, project, "up", 1, FAIL="yes")[0] != 0
    before = _names(engine, project)
    for command in ("preview", "up"):
        code, text = _run(engine, project, command, 3)
        assert code != 0
        assert "platform.nats.members = 3" in text
        assert "fixed at 1 when this stack was created" in text
        assert GUIDE_PAGE in text
        assert "Traceback" not in text
    assert _names(engine, project) == before
    assert _run(engine, project, "up", 3, DYNAMO_STACK_REBUILT="platform.nats.members")[0] == 0
    assert "fixed at 3 when this stack was created" in _run(engine, project, "preview", 1)[1]
    engine.pulumi("destroy", "--yes", "--skip-preview", cwd=project)
    assert _run(engine, project, "up", 1)[0] == 0


_LAYERS = """
import pulumi


class Thing(pulumi.ComponentResource):
    def __init__(self, kind, name, parent=None):
        super().__init__(kind, name, opts=pulumi.ResourceOptions(parent=parent))
        self.register_outputs({})


Thing("kubernetes:core/v1:PersistentVolumeClaim", "model-cache-claim")
nats = Thing("dynamo-stack:components:Nats", "nats")
Thing("kubernetes:apps/v1:StatefulSet", "nats", nats)
platform = Thing("dynamo-stack:components:DynamoPlatform", "dynamo-platform")
Thing("kubernetes:helm.sh/v3:Release", "dynamo-platform", platform)
graph = Thing("dynamo-stack:components:DynamoGraph", "graph")
Thing("kubernetes:nvidia.com/v1beta1:DynamoGraphDeployment", "graph", graph)
"""
_ORDER = "PersistentVolumeClaim StatefulSet Release DynamoGraphDeployment"
_NEEDS = {
    "DynamoGraphDeployment": {"PersistentVolumeClaim", "Release", "StatefulSet"},
    "Release": {"StatefulSet"},
}


@pytest.mark.engine
@pytest.mark.parametrize(
    ("target", "gone"),
    [
        ("DynamoGraphDeployment::**", {"DynamoGraphDeployment"}),
        ("Release::**", {"DynamoGraphDeployment", "Release"}),
        ("StatefulSet::nats", {"DynamoGraphDeployment", "Release", "StatefulSet"}),
    ],
)
def test_a_command_of_the_guide_ends_what_has_to_end_first_and_nothing_else(
    engine: Sandbox, project: Path, target: str, gone: set[str]
) -> None:
    (project / "__main__.py").write_text(_LAYERS)
    assert _run(engine, project, "up", 1)[0] == 0
    _add_dependencies(engine, project)
    before = _kinds(engine, project)
    command = f"destroy --target '**:{target}' --target-dependents"
    assert f"pulumi {command}" in GUIDE
    engine.pulumi(*shlex.split(command), "--yes", "--skip-preview", cwd=project)
    assert before - _kinds(engine, project) == gone


def _add_dependencies(engine: Sandbox, project: Path) -> None:
    # Only a resource of a provider can be depended on, and those need a cluster; the state can say it too.
    exported = json.loads(engine.pulumi("stack", "export", cwd=project).stdout)
    urns = {_kind(resource["urn"]): resource["urn"] for resource in exported["deployment"]["resources"]}
    # A state lists what is needed first.
    exported["deployment"]["resources"].sort(key=lambda resource: _ORDER.find(_kind(resource["urn"])))
    for resource in exported["deployment"]["resources"]:
        resource["dependencies"] = [urns[kind] for kind in _NEEDS.get(_kind(resource["urn"]), ())]
    engine.pulumi("stack", "import", cwd=project, stdin=json.dumps(exported))


def _kinds(engine: Sandbox, project: Path) -> set[str]:
    return {name.split("::")[0].rpartition(":")[2] for name in _names(engine, project)}


def _kind(urn: str) -> str:
    return urn.split("::")[2].rpartition(":")[2]
