"""The screens that `explain` shows for the shipped stacks, as files to review.

After a change that is meant, write them again and look at the diff:

    .venv/bin/python -m tests.cli.golden
"""

from tests.cli.command import ROOT, run_process

FOLDER = ROOT / "tests" / "cli" / "golden"
# 2026-11-22: the screens say how old prices are.
DAY = "1795305600"
STACKS = ("disagg-b200", "disagg-b200-8gpu", "disagg-gb200", "agg-gb200")


def explained(stack: str) -> str:
    """What a process prints."""
    answer = run_process("explain", stack, SOURCE_DATE_EPOCH=DAY)
    assert (answer.code, answer.err) == (0, "")
    return answer.out


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in STACKS:
        (FOLDER / f"explain-{name}.txt").write_text(explained(name), encoding="utf-8")
