import json
from pathlib import Path
from typing import Any

import pytest

from resource_graph import UNKNOWN, Aspect, CustomTimeouts, ResourceGraph
from resource_graph.engine_state import looks_like_state, state_graph
from resource_graph.input_text import InputError, read_inputs

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"
ASSET = "c44067f5952c0a294b673a41bacd8c17"
UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

STACK = "urn:pulumi:s::p::pulumi:pulumi:Stack::p-s"
PROVIDER = "urn:pulumi:s::p::pulumi:providers:kubernetes::cluster"
CLAIM = "urn:pulumi:s::p::kubernetes:core/v1:PersistentVolumeClaim::claim"
JOB = "urn:pulumi:s::p::kubernetes:batch/v1:Job::job"


def resource(urn: str, **more: Any) -> dict[str, Any]:
    return {"urn": urn, "custom": True, "type": urn.split("::")[2], **more}


def exported(*resources: object, version: object = 3) -> str:
    return json.dumps({"version": version, "deployment": {"manifest": {}, "resources": list(resources)}})


def read(tmp_path: Path, text: str | bytes) -> ResourceGraph:
    file = tmp_path / "state.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return state_graph(*read_inputs([file]))


def problem(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "state.json"))
    return str(caught.value)


def test_a_resource_keeps_all_that_the_engine_knows_of_it(tmp_path: Path) -> None:
    text = exported(
        resource(STACK, custom=False),
        resource(PROVIDER, parent=STACK, id="1", inputs={"version": "4.32.0"}),
        resource(CLAIM, parent=STACK, provider=f"{PROVIDER}::1"),
        resource(
            JOB,
            parent=STACK,
            provider=f"{PROVIDER}::1",
            inputs={"apiVersion": "batch/v1", "kind": "Job", "spec": {"backoffLimit": 3.0}},
            dependencies=[CLAIM],
            propertyDependencies={"spec": [PROVIDER], "metadata": []},
            protect=True,
            retainOnDelete=True,
            customTimeouts={"create": 3960, "delete": 0},
        ),
        version=4,
    )
    graph = read(tmp_path, text)
    job = graph.find(JOB)
    assert job is not None
    assert (job.type, job.name, job.kind) == ("kubernetes:batch/v1:Job", "job", "Job")
    assert job.inputs["spec"] == {"backoffLimit": 3}
    assert (job.parent, job.provider) == (STACK, PROVIDER)
    assert job.dependencies == {CLAIM, PROVIDER}
    assert job.property_dependencies == {"spec": {PROVIDER}}
    assert (job.protect, job.retain_on_delete) == (True, True)
    assert job.custom_timeouts == CustomTimeouts(create=3960)
    assert (graph.components()[0].urn, graph.lacks) == (STACK, frozenset[Aspect]())
    claim = graph.find(CLAIM)
    assert claim is not None
    assert (claim.protect, claim.retain_on_delete, claim.secret_paths) == (False, False, frozenset())


@pytest.mark.parametrize("content", [{"ciphertext": "v1:a:b"}, {"plaintext": '"planted"'}])
def test_a_secret_is_unknown_and_remembered_by_its_path(tmp_path: Path, content: dict[str, str]) -> None:
    secret = {SIGNATURE: SECRET, **content}
    text = exported(resource(JOB, inputs={"env": [{"value": "plain"}, {"value": secret}], "data": secret}))
    (job,) = read(tmp_path, text)
    assert job.inputs == {"env": [{"value": "plain"}, {"value": UNKNOWN}], "data": UNKNOWN}
    assert job.secret_paths == {("env", 1, "value"), ("data",)}


def test_references_assets_and_unknown_values_are_read_as_elsewhere(tmp_path: Path) -> None:
    reference = {SIGNATURE: REFERENCE, "urn": CLAIM}
    inputs = {
        "id": {**reference, "id": "i-1"},
        "later": {**reference, "id": ""},
        "component": reference,
        "file": {SIGNATURE: ASSET, "text": "x"},
        "unknown": UNKNOWN_STRING,
    }
    (job,) = read(tmp_path, exported(resource(JOB, inputs=inputs)))
    assert job.inputs == {
        "id": "i-1",
        "later": UNKNOWN,
        "component": CLAIM,
        "file": UNKNOWN,
        "unknown": UNKNOWN,
    }


@pytest.mark.parametrize("mark", ["delete", "pendingReplacement", "external"])
def test_what_is_about_to_go_and_what_is_only_read_is_left_out(tmp_path: Path, mark: str) -> None:
    graph = read(tmp_path, exported(resource(JOB), resource(JOB, **{mark: True}), resource(CLAIM)))
    assert [item.urn for item in graph] == [JOB, CLAIM]


@pytest.mark.parametrize("deployment", [{}, {"resources": None}, {"resources": []}])
def test_a_stack_in_which_nothing_was_created_is_empty(tmp_path: Path, deployment: dict[str, Any]) -> None:
    assert len(read(tmp_path, json.dumps({"version": 3, "deployment": deployment}))) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Invalid JSON"),
        ('{\n"version": 3,\n', "Invalid JSON: EOF while parsing a value at line 3"),
        ("[" * 100_000, "Invalid JSON: recursion limit exceeded"),
        ("[]", "an object"),
        ('{"version": 3}', "deployment: Field required"),
        ('{"version": 3, "deployment": null}', "deployment: Field required"),
        ('{"version": 3, "checkpoint": {"latest": {}}}', "a checkpoint out of a backend"),
        (exported(version=2), "version: Input should be greater than or equal to 3"),
        (exported(version=None), "version: Field required"),
        ('{"version": 3, "deployment": {"resources": {}}}', "deployment.resources: Input should be a valid"),
        (exported(resource(JOB), 7), "deployment.resources.1: Input should be"),
        (exported({"type": "a:b:C"}), "deployment.resources.0.urn: Field required"),
        (exported({"urn": JOB}), "deployment.resources.0.type: Field required"),
        (exported(resource(JOB, parent=7)), "resources.0.parent: Input should be a valid string"),
        (exported(resource(JOB, inputs=[])), "resources.0.inputs: Input should be"),
        (exported(resource(JOB, dependencies="a")), "resources.0.dependencies: Input should be"),
        (exported(resource(JOB, propertyDependencies={"spec": [1]})), "propertyDependencies.spec.0: Input"),
        (exported(resource(JOB, customTimeouts={"create": "1h"})), "customTimeouts.create: Input should be"),
        (exported(resource(JOB), resource(JOB)), f"duplicate resource URN {JOB}"),
    ],
)
def test_what_is_no_state_is_refused_by_its_first_problem(
    tmp_path: Path, text: str | bytes, says: str
) -> None:
    assert says in problem(tmp_path, text)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.json: cannot be read: No such file"):
        state_graph(*read_inputs([tmp_path / "missing.json"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (exported(), True),
        ('{\n    "version": 3,\n    "deployment": {', True),
        ('{"deployment": {}}', True),
        ('{"version": 4, "features": ["views", "hooks"], "deployment": {}}', True),
        ('{"version": 3, "checkpoint": {"latest": {}}}', True),
        ("", False),
        ("apiVersion: v1\nkind: Pod\n", False),
        ('{"apiVersion": "v1", "kind": "Pod", "deployment": {}}', False),
        ('{"metadata": {"deployment": {}}}', False),
    ],
)
def test_a_state_is_told_from_a_manifest_by_its_first_keys(text: str, expected: bool) -> None:
    assert looks_like_state(text) is expected


def test_a_name_may_hold_what_stands_between_the_parts_of_a_urn(tmp_path: Path) -> None:
    [claim] = read(tmp_path, exported(resource(f"{CLAIM}::of-a")))
    assert (claim.type, claim.name) == ("kubernetes:core/v1:PersistentVolumeClaim", "claim::of-a")
