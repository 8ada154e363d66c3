"""Both sides of a comparison, from what a person types to what each side's own code has said."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from comparison.recording import Side, UnreadStack
from operations.errors import CommandError
from operations.revisions import sides
from operations.revisions.record_process import record_by_own_code
from operations.revisions.sides import recorded_sides
from tests.operations.revisions.repositories import MadeRepository, commit_side, write_code


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeRepository:
    """A repository in which this process is, and a cache of its own."""
    repository = MadeRepository(tmp_path / "repository")
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return repository


def told(side: Side, stack: str = "dev") -> dict[str, Any]:
    """What the side's command was told, which the toy gives as a reason."""
    found = side.stacks[stack]
    assert isinstance(found, UnreadStack)
    return json.loads(found.reason)


def refused(base: str, head: str | None = None, *stacks: str) -> str:
    with pytest.raises(CommandError) as raised:
        recorded_sides(base, head, stacks)
    return str(raised.value)


def test_each_side_is_recorded_by_its_own_code_from_its_own_files(made: MadeRepository) -> None:
    first = commit_side(made, "a: 1\n")
    second = commit_side(made, "a: 2\n")
    base, head = recorded_sides(f"{first}..HEAD", None)
    assert (base.label, base.commit, head.label, head.commit) == (first, first, "HEAD", second)
    assert (told(base)["text"], told(head)["text"]) == ("a: 1\n", "a: 2\n")
    assert (told(base)["over"], told(head)["over"]) == (None, ["dev"])
    # One revision alone is compared with the working tree.
    made.write(**{"Pulumi.dev": "a: 3\n"})
    base, head = recorded_sides("main", None)
    assert (head.label, head.commit) == ("working tree", None)
    assert (told(base)["text"], told(head)["text"]) == ("a: 2\n", "a: 3\n")


def test_three_dots_compare_with_the_commit_at_which_the_head_left_the_base(made: MadeRepository) -> None:
    parting = commit_side(made, "a: 1\n")
    made.git("checkout", "--quiet", "-b", "feature")
    commit_side(made, "a: 2\n")
    made.git("checkout", "--quiet", "main")
    commit_side(made, "a: 3\n")
    base, head = recorded_sides("main...feature", None)
    assert (base.commit, base.label) == (parting, "merge base of main and feature")
    assert told(head)["text"] == "a: 2\n"


def test_nothing_of_this_environment_reaches_the_code_of_a_side(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "KUBECONFIG", "PULUMI_ACCESS_TOKEN", "GITHUB_TOKEN", "HF_TOKEN"):
        monkeypatch.setenv(name, "planted")
    commit_side(made)
    _, head = recorded_sides("HEAD", "HEAD")
    environment = told(head)["environment"]
    assert "planted" not in environment.values()
    assert told(head)["home"] == []
    assert set(environment) <= {
        *("HOME", "TMPDIR", "PATH", "LANG", "LC_CTYPE", "PYTHONPATH", "PYTHONHASHSEED", "PWD")
    }


def test_files_that_are_not_committed_are_said_not_to_be_compared_unless_they_are_the_newer_side(
    made: MadeRepository,
) -> None:
    commit_side(made)
    made.write(**{"Pulumi.dev": "a: 9\n", "Pulumi.new": "b: 1\n"})
    _, head = recorded_sides("HEAD", "HEAD")
    assert head.notes == (
        "HEAD is compared as it is committed; the working tree differs in Pulumi.dev.yaml, Pulumi.new.yaml",
    )
    base, head = recorded_sides("HEAD", None)
    assert (base.notes, head.notes) == ((), ())


def test_a_stack_that_one_side_alone_has_is_on_that_side_alone(made: MadeRepository) -> None:
    commit_side(made)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit(**{"Pulumi.new": "b: 1\n"})
    base, head = recorded_sides("main", "feature", ["new"])
    assert (dict(base.stacks), list(head.stacks)) == ({}, ["new"])
    assert (base.label, base.commit) == ("main", made.git("rev-parse", "main"))


def test_what_is_no_side_is_refused_with_what_to_type(made: MadeRepository, tmp_path: Path) -> None:
    made.commit(a="1")
    commit_side(made)
    write_code(tmp_path / "folder")
    assert (
        refused("HEAD", "HEAD", "dve")
        == "neither HEAD nor HEAD has a stack 'dve'\n  allowed: dev\n  try: dev"
    )
    assert refused("HEAD~1", "HEAD").startswith("HEAD~1 has no stack file: no Pulumi.STACK.yaml in ")
    assert refused("Pulumi.dev.yaml", "HEAD").startswith("Pulumi.dev.yaml is a file\n  try: the folder")
    assert refused("HEAD..HEAD", "") == "a side is an empty word\n  try: BASE..HEAD, or two folders"
    assert "is a folder, and the other side is a revision" in refused(str(tmp_path / "folder"), "HEAD")
    (made.root / "cli/record.py").unlink()
    made.commit()
    assert refused("HEAD", "HEAD").startswith("HEAD is older than `dynamo-stack record`")


@pytest.mark.parametrize(
    ("body", "seconds", "said"),
    [
        ("import time; time.sleep(600)", 1, "main: its own code has recorded nothing after 1 s"),
        (
            "[print('x' * 1_000_000) for _ in range(200)]",
            60,
            "main: its recording is larger than 64 MB\n  try: --stack",
        ),
    ],
    ids=["code that does not end", "an answer without an end"],
)
def test_what_never_ends_is_ended_and_said_to_have_recorded_nothing(
    tmp_path: Path, body: str, seconds: float, said: str
) -> None:
    write_code(tmp_path, body)
    with pytest.raises(CommandError) as raised:
        record_by_own_code("main", Path(sys.executable), tmp_path, tmp_path, ["dev"], seconds=seconds)
    assert str(raised.value).startswith(said)


TOKEN = "hf_" + 24 * "a"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit('no luck')", "its own code cannot record it: no luck"),
        (
            f"raise ValueError('no such model for {TOKEN}')",
            "its own code cannot record it: ValueError: no such model for [secret ",
        ),
        ("print('hello'); return", "what its own code has recorded cannot be read: it is no recording: "),
    ],
    ids=["it fails", "a token in its error", "no recording"],
)
def test_code_that_records_nothing_is_named_without_its_secrets_and_tried_again(
    made: MadeRepository, body: str, said: str
) -> None:
    commit_side(made, body=body)
    for _ in range(2):
        found = refused("HEAD", "HEAD")
        assert found.startswith(f"HEAD: {said}")
        assert TOKEN not in found


def test_a_folder_of_stack_files_alone_is_recorded_by_this_code(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_code(tmp_path / "folder")
    monkeypatch.setattr(sides, "_THIS_CODE", tmp_path / "folder")
    made.commit(**{"Pulumi.dev": "a: 1\n"})
    base, _ = recorded_sides("HEAD", "HEAD")
    assert told(base)["environment"]["PYTHONPATH"] == str(tmp_path / "folder")
