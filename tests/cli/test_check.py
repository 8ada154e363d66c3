import json
from pathlib import Path
from typing import Any

import pytest

from cli import output
from tests.cli.command import EIGHT_GPUS, ROOT, Command, findings, merged, squeezed, write_stack, written
from tests.rules.judging import GPUS, TRANSPORT, mutated
from tests.stacks.plan.layers.settings import layered
from tests.support.dev_settings import described_settings, dev_settings, disagg_b200_settings

SHIPPED = sorted(file.name.split(".")[1] for file in ROOT.glob("Pulumi.*.yaml"))
SCREEN_LINES = 56


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell of a table is broken into lines."""
    monkeypatch.setattr(output, "WIDTH_WITHOUT_TERMINAL", 100_000)


def waiver(rule: str, expires: str) -> dict[str, str]:
    return {"rule": rule, "reason": "measured next quarter", "expires": expires}


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_passes_on_one_screen_and_all_that_is_published_is_decided(
    command: Command, stack: str
) -> None:
    answer = command("check", stack)
    assert (answer.code, answer.err) == (0, "")
    assert f"stack {stack}: passed: 0 mandatory" in answer.out
    undecided = int(stack.endswith("-h200"))
    assert f"{undecided} undecided, 0 broken, 0 not evaluated" in answer.out
    assert ("nobody published how much memory CUDA sees of H200" in squeezed(answer.out)) == bool(undecided)
    # It is in no cluster, and so nothing to judge.
    assert "PlatformGuard" not in answer.out
    assert len(answer.out.splitlines()) <= SCREEN_LINES


def test_a_waived_finding_is_shown_with_its_reason_and_date(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, dev_settings() | {"waivers": [waiver(TRANSPORT, "2999-12-31")]})
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 0
    (row,) = [line for line in answer.out.splitlines() if line.startswith(TRANSPORT)]
    assert "waived (advisory)" in row
    assert "waived until 2999-12-31: measured next quarter" in squeezed(answer.out)
    of_the_rule = [line for line in answer.out.splitlines() if line.startswith(f"{TRANSPORT}: ")]
    assert of_the_rule == [], "the reason of a rule is for who must act"
    (found,) = findings(command("check", "dev", "--json", folder=tmp_path), TRANSPORT)
    assert (found["status"], found["waiver"]["expires"]) == ("waived", "2999-12-31")


def test_advice_comes_last_in_a_line_each_and_without_its_reason(command: Command) -> None:
    lines = command("check", "dev").out.splitlines()
    [advice, *_] = [number for number, line in enumerate(lines) if line.startswith(f"advice: {TRANSPORT}: ")]
    assert "moves its KV cache by tcp" in lines[advice]
    assert not [line for line in lines if line.startswith(f"{TRANSPORT}: ")]
    assert [line for line in lines[advice:] if line.startswith("stack dev: passed")]


@pytest.mark.usefixtures("wide")
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


def test_a_mandatory_finding_exits_1_in_a_table_with_numbers_place_reason_and_fix(
    command: Command, tmp_path: Path
) -> None:
    written(tmp_path, mutated(EIGHT_GPUS))
    answer = command("check", "--file", "deploy.yaml", folder=tmp_path)
    assert (answer.code, answer.err) == (1, "")
    for text in (
        "TrtllmDecodeWorker",
        "asks for 8 GPUs",
        "document 2",
        "fix: ",
        "source: ",
        "STOP: ",
    ):
        assert text in answer.out
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert 100 < max(len(line) for line in lines if line.startswith(f"{GPUS}  ")) <= 160


@pytest.mark.usefixtures("wide")
def test_what_is_undecided_stops_nothing_and_is_said_once_a_reason_with_the_rules_that_wait_for_it(
    command: Command, tmp_path: Path
) -> None:
    file = written(tmp_path, mutated())
    undecided = [
        item for item in findings(command("check", "--json", "--file", file)) if item["status"] == "undecided"
    ]
    answer = command("check", "--file", file)
    assert answer.code == 0
    said = squeezed(answer.out.partition("UNDECIDED")[2])
    assert len(undecided) > len({item["message"] for item in undecided})
    for item in undecided:
        assert said.count(f" {item['message']} ") == 1
        assert item["rule"] in said
    assert "name what it runs on: --pool p6e-gb200.36xlarge=2" in said


def test_rules_that_a_file_cannot_feed_are_counted_and_the_json_lists_them(
    command: Command, tmp_path: Path
) -> None:
    file = written(tmp_path, mutated())
    report = json.loads(command("check", "--json", "--file", file).out)
    listed = {item["rule"]: item["missing"] for item in report["notEvaluated"]}
    assert listed["graph-depends-on-operator"] == ["the order of resources"]
    assert not {item["rule"] for item in report["findings"]} & set(listed)
    text = command("check", "--file", file).out
    assert f"{len(listed)} not evaluated" in text
    assert "graph-depends-on-operator" not in text


def test_what_fails_is_shown_by_severity_each_rule_explains_itself_once_and_what_is_alike_is_one_row(
    command: Command, tmp_path: Path
) -> None:
    eight = (EIGHT_GPUS, ('gpu: "1"', 'gpu: "8"'))
    answer = command("check", "--file", written(tmp_path, mutated(*eight)))
    rows = [line for line in answer.out.splitlines() if "failed (" in line]
    levels = ["mandatory" if "failed (mandatory)" in row else "advisory" for row in rows]
    assert levels == sorted(levels, reverse=True)
    assert [row.split()[0] for row in rows].count(GPUS) == 2
    assert answer.out.count(f"\n{GPUS}: ") == 1
    assert (
        "advice: pods-request-memory: gpt-oss-disagg / TrtllmPrefillWorker, TrtllmDecodeWorker" in answer.out
    )


def test_several_files_are_read_as_one_set(command: Command, tmp_path: Path) -> None:
    config_map, graph = mutated(EIGHT_GPUS).split("\n---\n")
    files = [written(tmp_path, config_map, "a.yaml"), written(tmp_path, graph, "b.yaml")]
    for arguments in (["--file", files[0], "--file", files[1]], ["--file", *files]):
        answer = command("check", "--json", *arguments)
        assert answer.code == 1
        (found,) = findings(answer, GPUS)
        assert "tensor parallelism 4 (decode.yaml of ConfigMap llm-config)" in found["message"]
        place = str(files[1]), 1, "TrtllmDecodeWorker"
        assert (found["file"], found["document"], found["subject"]) == place


def test_a_finding_names_the_setting_that_it_comes_from_and_its_line_and_no_config_map(
    command: Command, tmp_path: Path
) -> None:
    settings = merged(
        disagg_b200_settings(), {"serving": {"overrides": {"decode": {"tensor_parallel_size": 3}}}}
    )
    lines = write_stack(tmp_path, settings).read_text().splitlines()
    [line] = [number for number, text in enumerate(lines, 1) if "tensor_parallel_size" in text]
    setting = "serving.overrides.decode.tensor_parallel_size"
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 1
    said = squeezed(answer.out)
    assert f"tensor parallelism 3 ({setting}, Pulumi.dev.yaml:{line}) does not divide the 64" in said
    table, _, _ = answer.out.partition("\n\n")
    assert "ConfigMap" not in table
    (found,) = findings(command("check", "dev", "--json", folder=tmp_path), "parallelism-divides-model")
    assert found["settings"] == [{"key": setting, "file": "Pulumi.dev.yaml", "line": line}]


TRAYS = {
    "accelerator": "GB300",
    "gpus": 4,
    "architecture": "arm64",
    "cpu": 140,
    "memory": "900Gi",
    "nvlinkDomainGpus": 72,
    "labels": {"cloud.google.com/gke-accelerator": "nvidia-gb300"},
}
KINDS = {
    "described nodes": described_settings(),
    "described nodes without labels and taints": described_settings(labels={}, taints=None),
    "described trays": merged(described_settings(nodes=2, **TRAYS), {"serving": {"kvTransport": "mnnvl"}}),
    **{f"{layer} alone": layered(layer) for layer in ("infrastructure", "platform", "serving")},
}


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_a_stack_of_a_kind_that_is_not_shipped_breaks_no_mandatory_rule(
    command: Command, tmp_path: Path, settings: dict[str, Any]
) -> None:
    write_stack(tmp_path, settings)
    answer = command("check", "dev", folder=tmp_path)
    assert answer.code == 0, answer.out
    assert "0 mandatory" in answer.out
    assert "0 undecided" in answer.out


def test_a_stack_of_one_layer_writes_its_own_objects_alone(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, layered("serving"))
    text = command("render", "dev", folder=tmp_path).out
    assert "kind: DynamoGraphDeployment" in text
    assert "kind: StatefulSet" not in text
    assert "StackReference" not in text


def test_preflight_of_a_joined_stack_names_the_stack_that_makes_the_cluster(
    command: Command, tmp_path: Path
) -> None:
    write_stack(tmp_path, layered("serving"))
    answer = command("preflight", "dev", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert "stack base makes the cluster of stack dev: `dynamo-stack preflight base`" in squeezed(answer.err)
