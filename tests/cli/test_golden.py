import pytest

from stacks.stack_files import list_stacks
from tests.cli.command import ROOT, Command
from tests.cli.golden import DAY, FOLDER, SCREENS


@pytest.mark.parametrize("file", SCREENS)
def test_explain_of_a_shipped_stack_is_the_reviewed_screen(
    file: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    answer = command(*SCREENS[file])
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (FOLDER / f"{file}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("stack", list_stacks(ROOT))
def test_explain_of_every_shipped_stack_fits_on_one_screen(stack: str, command: Command) -> None:
    lines = command("explain", stack).out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 110
    titles = {line.split("  ")[0] for line in lines[1:-1] if line[0] != " "}
    assert {"RUNS", "ON", "COST", "PROMPTS", "KV PATH", "UPDATES", "MEASURED", "EVIDENCE"} <= titles
