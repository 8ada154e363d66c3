"""`dynamo-stack upgrade`: what it shows, and what it writes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from stacks.settings import edit
from tests.cli.command import squeezed, write_stack
from tests.cli.documents.schemas import read_document
from tests.cli.upgrade_runs import FILE, GUIDE, own_stack, refused, run_upgrade, version_in
from tests.stacks.updates.changes import changed, update
from tests.support.dev_settings import agg_gb200_settings, all_lines_settings, dev_settings

if TYPE_CHECKING:
    from pathlib import Path

from tests.cli.command import Command


class _Terminal(io.StringIO):
    """A person who answers."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A stack file with comments, of 1.2.1."""
    return own_stack(tmp_path)


def _with_version(version: str) -> Any:
    return lambda settings: settings["platform"].update(version=version)


def test_a_dry_run_shows_the_line_and_the_objects_and_writes_nothing(command: Command, mine: Path) -> None:
    before = mine.read_bytes()
    answer = run_upgrade(command, mine, "--to", "1.4.2", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    assert '-      version: "1.2.1"\n+      version: "1.4.2"\n' in answer.out
    shown = squeezed(answer.out)
    assert "CHANGES Release dynamo-system/dynamo-platform version: 1.2.1 -> 1.4.2 " in shown
    image = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"
    services = "spec.components.{Frontend,TrtllmPrefillWorker,TrtllmDecodeWorker}."
    assert f"{services}podTemplate.spec.containers.main.image: {image}:1.2.1 -> {image}:1.4.2" in shown
    assert shown.index("CHANGES Release") < shown.index("DynamoGraphDeployment")
    assert "nothing was written (--dry-run)" in shown
    assert mine.read_bytes() == before


def test_what_restarts_is_said_in_the_words_of_a_preview(command: Command, mine: Path) -> None:
    answer = run_upgrade(command, mine, "--to", "1.4.2", "--dry-run")
    before = dev_settings()
    texts = update(before, changed(before, _with_version("1.4.2"))).texts
    assert any(text.startswith("every worker restarts: 1 x TrtllmPrefillWorker") for text in texts)
    for text in texts:
        assert squeezed(text) in squeezed(answer.out)
    assert "nothing serves until the new worker has loaded 65.2 GB" in squeezed(answer.out)


def test_yes_writes_one_line_and_names_the_next_commands(command: Command, mine: Path) -> None:
    before = mine.read_text(encoding="utf-8")
    answer = run_upgrade(command, mine, "--to", "1.4.2", "--yes")
    assert answer.code == 0
    assert mine.read_text(encoding="utf-8") == before.replace('"1.2.1"', '"1.4.2"')
    assert answer.out.endswith(
        f"{FILE}: written; next:\n"
        "  pulumi preview --stack mine\n"
        "  pulumi up --stack mine\n"
        "  dynamo-stack smoke mine\n"
    )


def test_a_second_time_it_says_that_it_is_done(command: Command, mine: Path) -> None:
    run_upgrade(command, mine, "--to", "1.4.2", "--yes")
    before = mine.stat().st_mtime_ns
    answer = run_upgrade(command, mine, "--to", "1.4.2")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"stack mine: {FILE} has 1.4.2 already; nothing was changed\n")
    assert mine.stat().st_mtime_ns == before
    content = read_document("upgrade", run_upgrade(command, mine, "--to", "1.4.2", "--dry-run", "--json").out)
    assert content == {
        "schema": "dynamo-stack/upgrade",
        "version": 1,
        "stack": "mine",
        "from": "1.4.2",
        "to": "1.4.2",
        "written": False,
    }


def test_without_a_terminal_nothing_is_written_and_the_command_to_type_is_named(
    command: Command, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    answer = run_upgrade(command, mine, "--to", "1.4.2")
    assert answer.code == 2
    assert answer.err == (
        "nothing was changed: there is no terminal to ask at\n"
        "  try: `dynamo-stack upgrade mine --to 1.4.2 --yes`\n"
    )
    assert version_in(mine) == "1.2.1"


@pytest.mark.parametrize(("said", "code", "version"), [("y\n", 0, "1.4.2"), ("n\n", 2, "1.2.1")])
def test_a_person_at_a_terminal_is_asked(
    command: Command, mine: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int, version: str
) -> None:
    monkeypatch.setattr("sys.stdin", _Terminal(said))
    answer = run_upgrade(command, mine, "--to", "1.4.2")
    assert f"Write {FILE}?" in answer.out
    assert (answer.code, version_in(mine)) == (code, version)


def test_a_file_that_changes_while_a_person_reads_is_left_alone(
    command: Command, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(_Terminal):
        def readline(self, *_: Any) -> str:
            mine.write_text(mine.read_text(encoding="utf-8") + "# an editor\n", encoding="utf-8")
            return "y\n"

    monkeypatch.setattr("sys.stdin", Slow())
    answer = run_upgrade(command, mine, "--to", "1.4.2")
    assert answer.code == 2
    assert "was changed by somebody else meanwhile; nothing was written" in answer.err
    assert (version_in(mine), mine.read_text(encoding="utf-8")[-12:]) == ("1.2.1", "# an editor\n")


def test_a_folder_that_cannot_be_written_is_said_with_the_file(
    command: Command, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: Any) -> None:
        raise PermissionError(13, "Permission denied", str(mine.with_name(".temporary")))

    monkeypatch.setattr(edit.tempfile, "mkstemp", refused)
    answer = run_upgrade(command, mine, "--to", "1.4.2", "--yes")
    assert (answer.code, answer.err) == (2, f"{mine}: Permission denied\n")
    assert version_in(mine) == "1.2.1"


def test_a_release_that_stores_graphs_otherwise_is_reached_in_two_steps(
    command: Command, tmp_path: Path
) -> None:
    file = write_stack(tmp_path, all_lines_settings(), name="mine")
    first = run_upgrade(command, file, "--to", "1.6.2", "--yes")
    assert version_in(file) == "1.4.2"
    assert "Dynamo platform 1.2.1 -> 1.4.2\n  the first of 2 steps: then 1.6.2" in first.out
    assert first.out.endswith("  dynamo-stack upgrade mine --to 1.6.2\n")
    second = squeezed(run_upgrade(command, file, "--to", "1.6.2", "--yes").out)
    assert version_in(file) == "1.6.2"
    assert "graphs are stored as v1beta1 instead of v1alpha1 from then on" in second
    assert "are no part of this release: podsnapshotcontents.nvidia.com, podsnapshots.nvidia.com" in second
    assert "nothing of 1.6.2 was run by this project" in second
    assert run_upgrade(command, file, "--to", "1.6.2").out.startswith(
        "stack mine: Pulumi.mine.yaml has 1.6.2"
    )


def test_what_was_fixed_at_creation_is_named_and_stays(command: Command, mine: Path) -> None:
    content = read_document("upgrade", run_upgrade(command, mine, "--to", "1.4.2", "--dry-run", "--json").out)
    assert content["fixedAtCreation"] == {
        "platform.kind": "own",
        "platform.namespace.kind": "own",
        "platform.discovery": "kubernetes",
        "platform.nats.kind": "bundled",
        "platform.nats.storageClassName": "shared-files",
        "serving.namespace.kind": "own",
        "platform.graphApi": "v1beta1",
    }


def test_a_program_reads_every_field_and_whether_the_file_was_written(command: Command, mine: Path) -> None:
    content = read_document("upgrade", run_upgrade(command, mine, "--to", "1.4.2", "--yes", "--json").out)
    assert (content["from"], content["to"], content["later"], content["written"]) == (
        "1.2.1",
        "1.4.2",
        [],
        True,
    )
    release = content["objects"][0]
    assert release["object"] == "Release dynamo-system/dynamo-platform"
    assert release["fields"] == [{"path": "version", "before": "1.2.1", "after": "1.4.2"}]
    assert any("router serves aggregated for good" in text for text in content["knownDefects"])
    assert content["next"][0] == "pulumi preview --stack mine"
    assert version_in(mine) == "1.4.2"


def test_an_image_that_was_typed_is_kept_or_named_but_never_replaced(
    command: Command, tmp_path: Path
) -> None:
    settings = agg_gb200_settings()
    settings["serving"] |= {
        "imageVersions": {"worker": "1.2.1-ours"},
        "arguments": {"frontend": ["--x", "1"]},
    }
    file = write_stack(tmp_path, settings, name="mine")
    assert refused(command, file, "--to", "1.4.2") == (
        f"{FILE}: serving.imageVersions.worker = '1.2.1-ours'\n"
        "  typed by hand, so it is kept; but it is of 1.2, and 1.4.2 needs one of 1.4; nothing was written\n"
        "  try: a tag of 1.4 there, or leave it out; then this command again\n"
    )
    settings["serving"]["imageVersions"] = {"worker": "1.4.2-ours"}
    write_stack(tmp_path, settings, name="mine")
    answer = run_upgrade(command, file, "--to", "1.4.2", "--yes")
    shown = squeezed(answer.out)
    assert answer.code == 0
    assert "COMPARED with nothing: the file as it is cannot be used" in shown
    assert "KEPT serving.imageVersions.worker: 1.4.2-ours serving.arguments.frontend: --x 1" in shown
    assert "OPTIONS dynamo.trtllm: --publish-events-and-metrics became" in shown
    assert version_in(file) == "1.4.2"


def test_of_a_platform_of_others_only_the_setting_follows_and_at_once(
    command: Command, tmp_path: Path
) -> None:
    platform = {"kind": "existing", "version": "1.2.1"}
    settings = all_lines_settings() | {"platform": platform}
    settings["serving"]["arguments"] = {"frontend": ["--router-temperature", "0.5"]}
    file = write_stack(tmp_path, settings, name="mine")
    answer = run_upgrade(command, file, "--to", "1.6.2", "--yes")
    assert version_in(file) == "1.6.2"
    shown = squeezed(answer.out)
    assert "--is-prefill-worker and --is-decode-worker are gone" in shown
    assert "--aic-* became --ais-*" in shown
    assert "PLATFORM not of this stack: 1.6.2 has to run there before `pulumi up` does here" in shown
    assert "Release" not in shown
    assert "DEFINITIONS" not in shown


def test_the_owner_of_a_platform_goes_before_the_stack_that_joins_it(
    command: Command, tmp_path: Path
) -> None:
    settings = agg_gb200_settings()
    owner = write_stack(tmp_path, settings | {"layers": ["platform"]}, name="dynamo")
    joined = settings | {"layers": ["serving"], "layerStacks": {"platform": "dynamo"}}
    mine = write_stack(tmp_path, joined, name="mine")
    said = refused(command, mine, "--to", "1.4.2")
    assert "stack dynamo owns the platform, and Pulumi.dynamo.yaml says 1.2.1" in said
    assert (
        "try: `dynamo-stack upgrade dynamo --to 1.4.2`, `pulumi up --stack dynamo`, then this command" in said
    )
    first = run_upgrade(command, owner, "--to", "1.4.2", "--yes").out
    assert "FOLLOWING" in first
    assert first.endswith("  dynamo-stack upgrade mine --to 1.4.2\n  pulumi up --stack mine\n")
    second = squeezed(run_upgrade(command, mine, "--to", "1.4.2", "--yes").out)
    assert (version_in(owner), version_in(mine)) == ("1.4.2", "1.4.2")
    assert "PLATFORM not of this stack" in second
    assert "every worker restarts: 1 x " in second


def test_defects_of_another_engine_than_the_recipe_s_are_left_out(command: Command, tmp_path: Path) -> None:
    ours = write_stack(tmp_path, all_lines_settings(), name="mine")
    others = write_stack(tmp_path, agg_gb200_settings(), name="others")
    defect = "a TensorRT-LLM worker whose engine was killed stays healthy"
    shown = [
        squeezed(run_upgrade(command, file, "--to", "1.4.2", "--dry-run").out) for file in (ours, others)
    ]
    assert [defect in each for each in shown] == [False, True]


def test_the_guide_shows_the_rows_that_there_are() -> None:
    for row in (
        "CHANGES",
        "RESTARTS",
        "PLATFORM, FOLLOWING",
        "DEFINITIONS",
        "FIXED",
        "KEPT",
        "OPTIONS",
        "DEFECTS",
    ):
        assert f"| {row} |" in GUIDE
