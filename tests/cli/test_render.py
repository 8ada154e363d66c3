import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from cli.render import MARK, render_graph
from lab.toolchain.build import cache_directory, executables
from recipes.engine_files import engine_files
from resource_graph import Resource, ResourceGraph
from resource_graph.printable import printable
from resource_graph.recorder import record
from tests.cli.command import DEADLINE_SECONDS, ROOT, Command, objects, run_process
from tests.resource_graph import toy_program
from tests.support.shipped_stacks import committed_settings, shipped_stack

# On a cluster that exists, of two pods, of one pod, without published memory, without Dynamo.
STACKS = ("dev", "disagg-gb200-two-trays", "disagg-b200-8gpu", "vllm-agg-h200", "latency-b200")


def rendered(data: dict[str, str]) -> str:
    inputs = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": data}
    ((_, document),) = render_graph(ResourceGraph([Resource(urn="u", type="t", name="m", inputs=inputs)]))
    return document


@pytest.mark.slow
def test_two_processes_write_the_same_bytes() -> None:
    first = run_process("render", "dev", "--helm", "flux")
    assert (first.code, first.err) == (0, "")
    assert first.out == run_process("render", "dev", "--helm", "flux").out


@pytest.mark.parametrize("name", STACKS)
def test_a_shipped_file_is_rendered_with_what_serves_and_says_which_window_that_waits_for(
    command: Command, name: str
) -> None:
    answer = command("render", name)
    serving = shipped_stack(name).serving
    documents = objects(answer.out)
    serves = [each["kind"] for each in documents if each["metadata"]["name"] == serving.graph_name]
    assert {"DynamoGraphDeployment", "Deployment"}.intersection(serves)
    files = [file for each in documents if each["kind"] == "ConfigMap" for file in each["data"].items()]
    assert set(engine_files(serving.placed)[1].items()) <= set(files)
    blocks = [pool["purchase"]["id"] for pool in committed_settings(name)["nodePools"] if "purchase" in pool]
    waits = re.findall(rf"{serving.graph_name} waits: pool .* Capacity Block (\S+) opens", answer.err)
    assert waits == blocks


def test_the_release_is_a_comment_with_chart_repository_version_and_values(command: Command) -> None:
    out = command("render", "dev").out
    release = next(part for part in out.split("---\n") if "A Helm release" in part)
    assert all(line.startswith("#") for line in release.splitlines())
    for text in (
        "chart: dynamo-platform",
        "helm.ngc.nvidia.com/nvidia/ai-dynamo",
        '"1.2.1"',
        "storageClassName: shared-files",
    ):
        assert text in release


def test_what_is_secret_or_unknown_is_named_and_never_written() -> None:
    graph = record(toy_program.program, project=toy_program.PROJECT, stack=toy_program.STACK)
    text = "---\n".join(text for _, text in render_graph(graph))
    assert "planted-token" not in text
    assert "planted-value" not in text
    assert "# This Secret holds secret values, so it is not written: toys/token" in text
    assert "# keys: TOKEN" in text
    # Among the values of a release.
    assert '#     key: "[secret, not written]"' in text
    assert "# This ConfigMap has values that only the update knows." in text
    assert '#   status: "[known only after the update]"' in text


def test_a_secret_without_a_mark_is_not_written_either() -> None:
    inputs = {"apiVersion": "v1", "kind": "Secret", "data": {"key": "cGxhbnRlZA=="}}
    ((_, document),) = render_graph(ResourceGraph([Resource(urn="u", type="t", name="s", inputs=inputs)]))
    assert "cGxhbnRlZA==" not in document
    assert document.startswith("# This Secret")


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=30), max_size=4))
@example({"lines": "one\ntwo\x85three\u2028four\u2029five\rsix"})
def test_every_text_is_read_back_as_it_was(data: dict[str, str]) -> None:
    assert yaml.safe_load(rendered(data))["data"] == data


def test_no_control_character_is_written_as_it_is() -> None:
    text = rendered({"a": "one\n\x1b[2Jtwo", "b\x1b[2J": "\u202eright to left", "c": "tab\tand\xa0space"})
    assert printable(text) == text


def test_a_text_that_looks_like_something_else_is_quoted() -> None:
    numbers = ["1e3", "0o17", "017", "1.30", ".5", "0x1F", "1_000", "nan", "12:30", "2026-11-21"]
    words = ["", "y", "N", "no", "off", "true", "null", "~", "=", "-"]
    texts = {f"k{number}": text for number, text in enumerate([*numbers, *words])}
    lines = rendered(texts).splitlines()
    assert [text for key, text in texts.items() if f'  {key}: "{text}"' not in lines] == []


def test_a_folder_gets_one_numbered_file_per_document(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    answer = command("render", "dev", "--to", folder)
    assert answer.code == 0
    files = sorted(folder.glob("[0-9]*.yaml"))
    names = [file.name for file in files]
    assert names[0] == "01-namespace-dynamo-system.yaml"
    assert names[1] == "02-helm-release-dynamo-platform.yaml"
    assert names[-1] == "10-dynamographdeployment-gpt-oss-disagg.yaml"
    assert f"{len(names)} files and kustomization.yaml in {folder}" in answer.out
    assert len(names) + 1 == len(list(folder.iterdir()))
    whole = command("render", "dev").out
    assert "---\n".join(file.read_text().removeprefix(f"{MARK}\n") for file in files) == whole


def test_rendering_again_removes_its_own_stale_files_and_nobody_else_s(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "99-gone.yaml").write_text(f"{MARK}\nkind: Gone\n")
    (tmp_path / "mine.yaml").write_text("kind: Mine\n")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe")
    assert command("render", "dev", "--to", tmp_path).code == 0
    assert not (tmp_path / "99-gone.yaml").exists()
    assert (tmp_path / "mine.yaml").exists()
    assert (tmp_path / "binary.yaml").exists()


@pytest.mark.parametrize("name", ["01-namespace-dynamo-system.yaml", "99-gone.yaml"])
def test_nothing_is_written_or_removed_through_a_link_out_of_the_folder(
    command: Command, tmp_path: Path, name: str
) -> None:
    elsewhere, folder = tmp_path / "elsewhere.yaml", tmp_path / "folder"
    folder.mkdir()
    elsewhere.write_text(f"{MARK}\nkind: Elsewhere\n")
    (folder / name).symlink_to(elsewhere)
    answer = command("render", "dev", "--to", folder)
    assert (folder / name).is_symlink()
    assert elsewhere.read_text() == f"{MARK}\nkind: Elsewhere\n"
    assert answer.code == (2 if name.startswith("01") else 0)
    if answer.code:
        assert f"{folder / name}\n  is a link that leads elsewhere, so nothing was written" in answer.err
        assert [file.name for file in folder.iterdir()] == [name]


@pytest.mark.parametrize("name", ["02-helm-release-dynamo-platform.yaml", "kustomization.yaml"])
def test_a_file_of_somebody_else_is_never_overwritten(command: Command, tmp_path: Path, name: str) -> None:
    mine = tmp_path / name
    mine.write_text("kind: Mine\n")
    answer = command("render", "dev", "--to", tmp_path)
    assert answer.code == 2
    assert f"{mine}\n  is not what `dynamo-stack render` wrote, so nothing was written" in answer.err
    assert [file.read_text() for file in tmp_path.iterdir()] == ["kind: Mine\n"]


def test_a_reader_that_has_seen_enough_is_no_error_message() -> None:
    process = subprocess.Popen(
        [str(Path(sys.executable).parent / "dynamo-stack"), "render", "dev"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=DEADLINE_SECONDS)
    assert process.stderr is not None
    with process.stderr as errors:
        assert errors.read() == b""


@pytest.mark.parametrize(
    ("helm", "comments"), [("flux", []), ("comment", ["02-helm-release-dynamo-platform.yaml"])]
)
def test_objects_are_listed_in_the_order_in_which_they_are_applied_and_comments_in_one(
    command: Command, tmp_path: Path, helm: str, comments: list[str]
) -> None:
    command("render", "dev", "--helm", helm, "--to", tmp_path)
    text = (tmp_path / "kustomization.yaml").read_text()
    numbered = [file.name for file in sorted(tmp_path.glob("[0-9]*.yaml"))]
    assert yaml.safe_load(text)["resources"] == [name for name in numbered if name not in comments]
    assert yaml.safe_load(text)["sortOptions"] == {"order": "fifo"}
    assert text.startswith(f"{MARK}\n")
    assert (f"# Not listed, as each is a comment: {', '.join(comments)}\n" in text) == bool(comments)


def test_the_folder_is_checked_as_before(command: Command, tmp_path: Path) -> None:
    command("render", "dev", "--to", tmp_path)
    answer = command("check", "--file", *sorted(tmp_path.iterdir()), "--pool", "p6-b200.48xlarge=1")
    assert answer.code == 0
    assert "Kustomization" not in answer.out


@pytest.mark.engine
def test_kustomize_builds_the_same_objects_in_the_same_order(command: Command, tmp_path: Path) -> None:
    command("render", "disagg-b200-8gpu", "--helm", "flux", "--to", tmp_path)
    kubectl = executables(cache_directory())["kubectl"]
    built = subprocess.run(
        [str(kubectl), "kustomize", str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    written = [each for file in sorted(tmp_path.glob("[0-9]*.yaml")) for each in objects(file.read_text())]
    assert objects(built.stdout) == written
