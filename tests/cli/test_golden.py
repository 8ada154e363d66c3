import pytest

from tests.cli.command import Command
from tests.cli.golden import DAY, FOLDER, STACKS

SCREEN_LINES = 58
SCREEN_COLUMNS = 120


@pytest.mark.parametrize("stack", STACKS)
def test_explain_of_a_shipped_stack_is_the_reviewed_screen_and_fits_on_one(
    stack: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    answer = command("explain", stack)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (FOLDER / f"explain-{stack}.txt").read_text(encoding="utf-8")
    lines = answer.out.splitlines()
    assert len(lines) <= SCREEN_LINES
    assert max(map(len, lines)) <= SCREEN_COLUMNS
