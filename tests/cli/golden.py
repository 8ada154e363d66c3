"""The screens that `explain` and `explain --all` show for the shipped stacks, as files to review.

After a change that is meant, write them again and look at the diff:

    .venv/bin/python -m tests.cli.golden
"""

from tests.cli.command import ROOT, run_process

FOLDER = ROOT / "tests" / "cli" / "golden"
# 2026-11-22: the screens say how old prices are.
DAY = "1795305600"
STACKS = ("dev", "disagg-b200-tcp", "disagg-b200-8gpu", "disagg-gb200-two-trays", "agg-gb200")
SCREENS = {
    **{f"explain-{name}": ("explain", name) for name in STACKS},
    **{f"explain-all-{name}": ("explain", name, "--all") for name in STACKS},
}
"""Name of a file -> the command that prints it."""


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, command in SCREENS.items():
        answer = run_process(*command, SOURCE_DATE_EPOCH=DAY)
        assert (answer.code, answer.err) == (0, "")
        (FOLDER / f"{file}.txt").write_text(answer.out, encoding="utf-8")
