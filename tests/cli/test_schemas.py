"""The committed schemas, their page and the reviewed screens: of one opinion with what commands print."""

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
import pytest

from cli.documents.envelope import VERSIONS, Command
from cli.documents.schema import (
    DOCUMENTS,
    RESULT_SCHEMA,
    document_schema,
    result_schema_text,
    schema_file,
    schema_text,
)
from stacks.settings.schema import summary
from stacks.settings.setting_places import models_within
from stacks.stack_files import list_stacks
from tests.cli.command import ROOT, read_document, squeezed
from tests.cli.command import Command as Run
from tests.cli.golden import DAY, FOLDER, SCREENS
from tests.docs.guide import text_of


@pytest.mark.parametrize("command", DOCUMENTS)
def test_a_committed_schema_is_the_documents_own_and_a_schema(command: Command) -> None:
    outdated = "run `python -m cli.documents.schema`"
    assert schema_file(command).read_text(encoding="utf-8") == schema_text(command), outdated
    jsonschema.Draft7Validator.check_schema(document_schema(command))


def test_the_committed_schema_of_a_benchmark_is_the_models_own() -> None:
    assert RESULT_SCHEMA.read_text(encoding="utf-8") == result_schema_text()


def test_every_command_that_has_a_version_has_a_schema_and_a_row_of_the_guide() -> None:
    assert set(DOCUMENTS) == set(VERSIONS) == set(get_args(Command))
    guide = text_of("docs/command-output.md")
    rows = re.findall(
        r"^\| `dynamo-stack (\w+) .*\[Schema\]\(schemas/(\w+)\.schema\.json\)", guide, re.MULTILINE
    )
    assert rows == [(command, command) for command in DOCUMENTS]


def test_a_schema_explains_every_mapping_and_allows_a_document_that_has_gained_a_key() -> None:
    for command, model in DOCUMENTS.items():
        assert [each.__name__ for each in models_within(model) if not summary(each)] == []
        assert 'additionalProperties": false' not in json.dumps(document_schema(command)), command


@pytest.mark.parametrize("stack", ["dev", "disagg-gb200-two-trays", "disagg-b200-8gpu", "latency-b200"])
def test_explain_prints_its_document_of_stacks_of_every_kind(command: Run, stack: str) -> None:
    answer = command("explain", stack, "--json")
    assert (answer.code, answer.err) == (0, "")
    document = read_document("explain", answer.out)
    assert document["stack"] == stack
    assert sum(pool["usedGpus"] for pool in document["pools"]) == sum(
        service["replicas"] * service["gpus"] for service in document["services"]
    )


def test_explain_tells_a_program_what_it_tells_a_person(command: Run) -> None:
    document = read_document("explain", command("explain", "disagg-b200-tcp", "--json").out)
    (pool,) = document["pools"]
    assert (pool["gpus"], pool["usedGpus"], pool["idleGpus"]) == (8, 5, 3)
    assert (pool["usdPerGpuHour"], pool["priced"]) == (12.355, "Capacity Block")
    shown = squeezed(command("explain", "disagg-b200-tcp", "--all").out)
    said = {each["title"]: each["texts"] for each in (*document["foundation"], *document["sections"])}
    assert said["KV path"][0].startswith("tcp, typed")
    for title, texts in said.items():
        assert f"{title.upper()} {squeezed(' '.join(texts))}" in shown


def test_check_prints_its_document(command: Run) -> None:
    stack = read_document("check", command("check", "dev", "--json").out)
    assert (stack["subject"], stack["stops"]) == ("stack dev", False)
    answer = command("check", "--file", "docs/examples/graph.yaml", "--pool", "p6-b200.48xlarge=4", "--json")
    assert answer.code == 1
    finding = read_document("check", answer.out)["findings"][0]
    lines = Path("docs/examples/graph.yaml").read_text(encoding="utf-8").splitlines()
    assert "--tensor-parallel-size" in lines[finding["line"] - 1]


def test_an_input_that_cannot_be_used_prints_no_document(command: Run) -> None:
    for name in ("explain", "check", "preflight", "drift", "recover"):
        answer = command(name, "no-such-stack", "--json")
        assert (answer.code, answer.out) == (2, ""), name
        assert "no-such-stack" in answer.err


def test_recover_as_json_runs_nothing(command: Run) -> None:
    answer = command("recover", "dev", "--json", "--yes")
    assert (answer.code, answer.out) == (2, "")
    assert "prints what would be run, and runs nothing" in squeezed(answer.err.replace("│", " "))


@pytest.mark.parametrize("file", SCREENS)
def test_explain_of_a_shipped_stack_is_the_reviewed_screen(
    file: str, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    answer = command(*SCREENS[file])
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (FOLDER / f"{file}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("stack", list_stacks(ROOT))
def test_explain_of_every_shipped_stack_fits_on_one_screen(stack: str, command: Run) -> None:
    lines = command("explain", stack).out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 110
    titles = {line.split("  ")[0] for line in lines[1:-1] if line[0] != " "}
    assert {"RUNS", "ON", "COST", "PROMPTS", "KV PATH", "UPDATES", "MEASURED", "EVIDENCE"} <= titles
