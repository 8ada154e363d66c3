import json
from pathlib import Path
from typing import Any

import pytest

from stacks import program_serving
from tests.cli.command import Command, run_process, squeezed, write_stack
from tests.rules.judging import GPUS, mutated
from tests.support.dev_settings import dev_settings, disagg_gb200_settings

EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')


def waiver(rule: str, expires: str) -> dict[str, str]:
    return {"rule": rule, "reason": "measured next quarter", "expires": expires}


def written(tmp_path: Path, text: str | bytes, name: str = "deploy.yaml") -> Path:
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_stack_dev_passes_with_nothing_undecided_and_hears_that_tcp_is_unproven(command: Command) -> None:
    answer = command("check", "dev")
    assert (answer.code, answer.err) == (0, "")
    assert "passed: 0 mandatory and 1 advisory failed, 0 waived, 0 undecided, 0 broken" in answer.out
    assert "kv-transport-proven  failed (advisory)" in answer.out
    assert "moves its KV cache by tcp" in answer.out


def test_a_waived_finding_is_shown_with_its_reason_and_date(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, dev_settings() | {"waivers": [waiver("kv-transport-proven", "2999-12-31")]})
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 0
    assert "kv-transport-proven  waived (advisory)" in answer.out
    assert "waived until 2999-12-31: measured next quarter" in squeezed(answer.out)
    assert "0 advisory failed, 1 waived" in answer.out
    (found,) = json.loads(command("check", "dev", "--json", folder=tmp_path).out)["findings"]
    assert (found["status"], found["waiver"]["expires"]) == ("waived", "2999-12-31")


@pytest.mark.parametrize(
    ("rule", "expires", "says"),
    [
        ("kv-transport-proven", "2020-01-31", "expired on 2020-01-31 and waives nothing; renew or remove it"),
        ("kv-transport-prooven", "2999-12-31", "did you mean kv-transport-proven?"),
    ],
)
def test_an_expired_waiver_and_one_of_no_rule_exit_1(
    command: Command, tmp_path: Path, rule: str, expires: str, says: str
) -> None:
    write_stack(tmp_path, dev_settings() | {"waivers": [waiver(rule, expires)]})
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 1
    assert "waiver-is-valid" in answer.out
    assert says in squeezed(answer.out)


@pytest.mark.parametrize("graph_api", ["v1alpha1", "v1beta1"])
def test_our_own_graphs_are_read_to_the_end_in_both_api_versions(
    command: Command, tmp_path: Path, graph_api: str
) -> None:
    settings = disagg_gb200_settings()
    settings["platform"] |= {"graphApi": graph_api}
    write_stack(tmp_path, settings)
    assert (
        "0 mandatory and 1 advisory failed, 0 waived, 0 undecided"
        in command("check", "dev", folder=tmp_path).out
    )
    folder = tmp_path / "rendered"
    command("render", "dev", "--to", folder, folder=tmp_path)
    (graph,) = folder.glob("*-dynamographdeployment-*.yaml")
    graph.write_text(graph.read_text().replace("claims:", "claimz:"))
    answer = command("check", "--json", "--file", *folder.iterdir())
    failed = [item["rule"] for item in json.loads(answer.out)["findings"] if item["status"] == "failed"]
    assert failed == ["compute-domain-claims"] * 2


def test_a_program_whose_graph_does_not_wait_for_its_operator_is_stopped(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    right_graph = program_serving.DynamoGraph

    def graph_that_waits_for_nothing(*arguments: Any, depends_on: list[Any], opts: Any) -> Any:
        assert depends_on
        return right_graph(*arguments, depends_on=[], opts=opts)

    monkeypatch.setattr(program_serving, "DynamoGraph", graph_that_waits_for_nothing)
    answer = command("check", "dev")
    assert answer.code == 1
    assert "graph-depends-on-operator" in answer.out
    assert "dynamo-platform" in answer.out
    assert "STOP: 1 mandatory" in answer.out


def test_a_mandatory_finding_exits_1_and_shows_numbers_place_reason_and_fix(
    command: Command, tmp_path: Path
) -> None:
    file = written(tmp_path, mutated(EIGHT_GPUS))
    answer = command("check", "--file", file, folder=tmp_path)
    assert answer.code == 1
    for text in (
        GPUS,
        "TrtllmDecodeWorker",
        "asks for 8 GPUs",
        "document 2",
        "fix: ",
        "source: ",
        "STOP: 1 mandatory",
    ):
        assert text in answer.out
    assert "Traceback" not in answer.out + answer.err


def test_undecided_findings_are_shown_and_do_not_stop(command: Command, tmp_path: Path) -> None:
    answer = command("check", "--file", written(tmp_path, mutated()))
    assert answer.code == 0
    assert "undecided (mandatory)" in answer.out
    assert "5 undecided" in answer.out


def test_several_files_are_read_as_one_set(command: Command, tmp_path: Path) -> None:
    config_map, graph = mutated(EIGHT_GPUS).split("\n---\n")
    files = [written(tmp_path, config_map, "a.yaml"), written(tmp_path, graph, "b.yaml")]
    for arguments in (["--file", files[0], "--file", files[1]], ["--file", *files]):
        answer = command("check", "--json", *arguments)
        assert answer.code == 1
        (failed,) = [item for item in json.loads(answer.out)["findings"] if item["status"] == "failed"]
        assert "tensor parallelism 4 (decode.yaml of ConfigMap llm-config)" in failed["message"]


def test_json_holds_every_finding_with_its_place(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, mutated(EIGHT_GPUS))
    answer = command("check", "--json", "--file", file)
    report = json.loads(answer.out)
    (failed,) = [item for item in report["findings"] if item["status"] == "failed"]
    assert answer.code == 1
    assert report["stops"] is True
    assert report["read"] == {"ConfigMap": 1, "DynamoGraphDeployment": 1}
    assert (failed["rule"], failed["severity"], failed["subject"]) == (
        GPUS,
        "mandatory",
        "TrtllmDecodeWorker",
    )
    assert (failed["file"], failed["document"]) == (str(file), 2)
    assert file.read_text().splitlines()[failed["line"] - 1] == "apiVersion: nvidia.com/v1alpha1"


def test_the_table_has_no_colour_and_no_trailing_blanks_without_a_terminal(tmp_path: Path) -> None:
    written(tmp_path, mutated(EIGHT_GPUS))
    answer = run_process("check", "--file", "deploy.yaml", folder=tmp_path)
    assert answer.code == 1
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert 100 < max(len(line) for line in lines if line.startswith("gpus-match-parallelism  ")) <= 160


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b: c\n", "deploy.yaml, document 1, line 1: not YAML"),
        ("apiVersion: v1\nkind: A\n---\n- 1\n", "deploy.yaml, document 2, line 4"),
        (b"\xff\x00", "deploy.yaml: not a UTF-8 text file"),
    ],
)
def test_unreadable_input_exits_2_and_names_the_place_on_stderr(
    command: Command, tmp_path: Path, text: str | bytes, expected: str
) -> None:
    answer = command("check", "--file", written(tmp_path, text))
    assert (answer.code, answer.out) == (2, "")
    assert expected in answer.err
    assert "Traceback" not in answer.err


def test_a_missing_file_and_a_missing_stack_exit_2(command: Command, tmp_path: Path) -> None:
    missing_file = command("check", "--file", tmp_path / "missing.yaml")
    assert (missing_file.code, missing_file.out) == (2, "")
    assert "missing.yaml: cannot be read" in missing_file.err
    missing_stack = command("check", "prod")
    assert (missing_stack.code, missing_stack.out) == (2, "")
    assert "Pulumi.prod.yaml" in missing_stack.err
    assert "dev" in missing_stack.err


def test_without_a_stack_or_a_file_the_usage_is_shown(command: Command) -> None:
    answer = command("check")
    assert answer.code == 2
    assert "STACK" in answer.err


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\nspec: 3\n",
            "spec is 3, not a mapping",
        ),
        (
            "kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\nspec: {services: []}\n",
            "is a list, not a mapping",
        ),
        ("kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\n", "names no service"),
        ("kind: Pod\napiVersion: v1\nspec: {containers: 7}\n", "containers is 7, not a list"),
        ("kind: Pod\napiVersion: v1\nspec: {containers: [{command: [1]}]}\n", "command[0] is 1, not a text"),
    ],
)
def test_objects_of_a_wrong_shape_are_undecided_with_words(
    command: Command, tmp_path: Path, text: str, found: str
) -> None:
    answer = command("check", "--file", written(tmp_path, text))
    assert answer.code == 0
    assert found in " ".join(answer.out.split())


def test_unknown_kinds_are_counted_so_that_a_pass_is_no_secret(command: Command, tmp_path: Path) -> None:
    answer = command("check", "--file", written(tmp_path, "apiVersion: a/v1\nkind: Surprise\n"))
    assert answer.code == 0
    assert "read: 1 Surprise" in answer.out
