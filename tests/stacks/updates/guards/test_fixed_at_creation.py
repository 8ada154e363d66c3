"""What is fixed when a stack is created: the comparison, and the real engine with a program that uses it."""

import json
import re
import shlex
from pathlib import Path

import pytest

from lab.directory import REPOSITORY
from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values, unknown_rebuilt
from tests.support.dev_settings import dev_settings, resolved
from tests.support.sandbox import Sandbox

NOW: dict[str, str | int] = {
    "platform.kind": "own",
    "platform.discovery": "etcd",
    "platform.nats.kind": "own",
    "platform.nats.members": 3,
    "platform.etcd.kind": "own",
    "platform.etcd.members": 3,
}


def _said(before: dict[str, object] | None, rebuilt: str = "") -> str:
    found = {
        "environment": unknown_rebuilt(before, NOW, rebuilt),
        "Pulumi.dev.yaml": changed_problems(before, NOW, rebuilt),
    }
    return "\n".join(problem.text(place) for place, problems in found.items() for problem in problems)


def test_a_stack_that_has_never_run_may_be_anything() -> None:
    assert _said(None) == ""


def test_numbers_are_the_same_after_their_way_through_the_engine() -> None:
    assert _said({**NOW, "platform.nats.members": 3.0}) == ""


def test_another_graph_api_than_the_recorded_one_is_an_ordinary_update() -> None:
    assert _said({**NOW, "platform.graphApi": "v1alpha1"}) == ""
    assert "platform.graphApi" not in fixed_values(resolved(dev_settings()))


def test_a_changed_discovery_is_refused_with_the_procedure() -> None:
    assert _said({**NOW, "platform.discovery": "kubernetes"}) == (
        "Pulumi.dev.yaml: platform.discovery = 'etcd'\n"
        "  fixed at kubernetes when this stack was created; nothing was created or changed\n"
        "  allowed: kubernetes\n"
        "  try: platform.discovery: kubernetes; or, with an interruption (docs/change-what-is-fixed.md):\n"
        "    1. end the graph: pulumi destroy --target '**:DynamoGraphDeployment::**' --target-dependents "
        "(the model cache stays)\n"
        "    2. DYNAMO_STACK_REBUILT=platform.discovery pulumi up\n"
        "    3. without an interruption instead: a second stack with platform.kind existing, a "
        "serving.namespace of its own and GPUs of its own, then destroy this one's graph"
    )


@pytest.mark.parametrize("server", ["nats", "etcd"])
def test_a_changed_member_count_is_refused_with_the_procedure(server: str) -> None:
    text = _said({**NOW, f"platform.{server}.members": 1.0})
    assert f"platform.{server}.members = 3\n  fixed at 1 when this stack was created" in text
    assert f"pulumi destroy --target '**:StatefulSet::{server}' --target-dependents" in text
    assert f"DYNAMO_STACK_REBUILT=platform.{server}.members pulumi up" in text


def test_servers_of_another_kind_end_with_the_release_that_may_hold_them() -> None:
    text = _said({**NOW, "platform.nats.kind": "bundled"})
    assert "platform.nats.kind = 'own'\n  fixed at bundled" in text
    assert "pulumi destroy --target '**:Release::**' --target-dependents" in text


@pytest.mark.parametrize(
    ("kind", "setting", "ended"),
    [
        ("own", "storageClassName", "StatefulSet::nats"),
        ("own", "volumeSize", "StatefulSet::nats"),
        ("bundled", "storageClassName", "Release::**"),
    ],
)
def test_another_volume_for_a_server_is_refused_with_the_procedure(
    kind: str, setting: str, ended: str
) -> None:
    before: dict[str, str | int] = {"platform.nats.kind": kind, f"platform.nats.{setting}": "old"}
    [problem] = changed_problems(before, before | {f"platform.nats.{setting}": "new"})
    text = problem.text("Pulumi.dev.yaml")
    assert f"platform.nats.{setting} = 'new'\n  fixed at old when this stack was created" in text
    assert f"pulumi destroy --target '**:{ended}' --target-dependents" in text


def test_servers_of_another_kind_bring_their_own_volumes() -> None:
    before = {"platform.nats.kind": "own", "platform.nats.storageClassName": "old"}
    now: dict[str, str | int] = {"platform.nats.kind": "bundled", "platform.nats.storageClassName": "new"}
    [problem] = changed_problems(before, now)
    assert "platform.nats.kind" in problem.text("Pulumi.dev.yaml")
    assert changed_problems(before, now, "platform.nats.kind") == ()


def test_another_platform_altogether_is_one_problem() -> None:
    text = _said({"platform.kind": "existing", "platform.discovery": "kubernetes"})
    assert "platform.kind = 'own'" in text
    assert "platform.discovery" not in text


def test_what_was_rebuilt_may_have_another_value() -> None:
    before: dict[str, object] = {**NOW, "platform.nats.members": 1, "platform.etcd.members": 1}
    assert _said(before, "platform.nats.members, platform.etcd.members") == ""
    assert "platform.etcd.members" in _said(before, "platform.nats.members")


def test_a_misspelt_name_of_what_was_rebuilt_is_refused() -> None:
    text = _said(dict(NOW), "platform.nats.member")
    assert text.startswith("environment: DYNAMO_STACK_REBUILT = 'platform.nats.member'\n  no setting of this")
    assert text.endswith("try: platform.nats.members")


_PROGRAM = f"""
import os
import sys

import pulumi

sys.path.insert(0, {str(REPOSITORY)!r})

from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME, REBUILT_VARIABLE, changed_problems
from stacks.updates.guards.previous_run import previous_run


class Thing(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("toy:components:Thing", name)
        self.register_outputs({{}})


values = {{"platform.nats.members": int(os.environ["MEMBERS"])}}
rebuilt = os.environ.get(REBUILT_VARIABLE, "")
problems = changed_problems(previous_run().fixed, values, rebuilt)
if problems:
    raise pulumi.RunError(problems[0].text("Pulumi.toy.yaml"))
pulumi.export(OUTPUT_NAME, values)
pulumi.export("secret", pulumi.Output.secret("planted-value"))
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
def test_a_changed_value_is_refused_in_preview_and_up_and_nothing_else_happens(
    engine: Sandbox, project: Path
) -> None:
    assert _run(engine, project, "preview", 1)[0] == 0
    assert _run(engine, project, "up", 1)[0] == 0
    before = _names(engine, project)
    for command in ("preview", "up", "up"):
        code, text = _run(engine, project, command, 3)
        assert code != 0
        assert "platform.nats.members = 3" in text
        assert "fixed at 1 when this stack was created" in text
        assert "DYNAMO_STACK_REBUILT=platform.nats.members pulumi up" in text
        assert "Traceback" not in text
    assert _names(engine, project) == before
    assert _run(engine, project, "up", 1)[0] == 0


@pytest.mark.engine
def test_reading_the_last_run_changes_nothing_and_keeps_no_copy_of_it(engine: Sandbox, project: Path) -> None:
    _run(engine, project, "up", 1)
    code, text = _run(engine, project, "preview", 1)
    assert code == 0
    assert "2 unchanged" in text
    assert "planted-value" not in text
    names = _names(engine, project)
    assert {name.split("::")[0] for name in names} == {
        "pulumi:pulumi:Stack",
        # Of the engine itself; it leaves with the stack.
        "pulumi:providers:pulumi",
        "toy:components:Thing",
    }


@pytest.mark.engine
def test_what_was_rebuilt_is_fixed_at_its_new_value_from_then_on(engine: Sandbox, project: Path) -> None:
    _run(engine, project, "up", 1)
    assert _run(engine, project, "up", 3, DYNAMO_STACK_REBUILT="platform.nats.members")[0] == 0
    assert "fixed at 3 when this stack was created" in _run(engine, project, "preview", 1)[1]


@pytest.mark.engine
def test_the_values_of_a_first_run_that_failed_are_fixed_too(engine: Sandbox, project: Path) -> None:
    assert _run(engine, project, "up", 1, FAIL="yes")[0] != 0
    assert "fixed at 1 when this stack was created" in _run(engine, project, "up", 3)[1]


@pytest.mark.engine
def test_a_destroyed_stack_may_be_created_anew_with_other_values(engine: Sandbox, project: Path) -> None:
    _run(engine, project, "up", 1)
    engine.pulumi("destroy", "--yes", "--skip-preview", cwd=project)
    assert _run(engine, project, "up", 3)[0] == 0


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
    ("changed", "value", "gone"),
    [
        ("platform.discovery", "kubernetes", {"DynamoGraphDeployment"}),
        ("platform.kind", "existing", {"DynamoGraphDeployment", "Release"}),
        ("platform.nats.members", 1, {"DynamoGraphDeployment", "Release", "StatefulSet"}),
    ],
)
def test_the_printed_command_ends_what_has_to_end_first_and_nothing_else(
    engine: Sandbox, project: Path, changed: str, value: object, gone: set[str]
) -> None:
    (project / "__main__.py").write_text(_LAYERS)
    assert _run(engine, project, "up", 1)[0] == 0
    _add_dependencies(engine, project)
    before = _kinds(engine, project)
    printed = re.search(r"pulumi (destroy --target '.*' --target-dependents)", _said({**NOW, changed: value}))
    assert printed
    engine.pulumi(*shlex.split(printed[1]), "--yes", "--skip-preview", cwd=project)
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
