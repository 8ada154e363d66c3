"""`dynamo-stack report`: a stack as one page for a browser."""

from pathlib import Path

from cli.output import say
from cli.own_files import refuse_foreign, write_files
from cli.price_age import today
from explain.build import Judged, build_page
from explain.html import to_html
from operations.errors import CommandError
from operations.project import recorded_stack, resolved_stack
from rules.catalogue import rules_on
from rules.run import run_rules
from stacks.plan.stack_plan import with_open_windows

MARK = "<!-- Written by `dynamo-stack report`; changes are overwritten. -->"


def report(name: str, file: Path) -> None:
    """Write the page of the stack, or nothing where somebody else's file is in the way."""
    if file.is_dir():
        raise CommandError(f"--to {file}: is a folder\n  try: --to {file / f'{name}.html'}")
    stack = resolved_stack(name)
    opened = with_open_windows(stack)
    later = recorded_stack(opened)
    now = later if opened == stack else recorded_stack(stack)
    day = today()
    rules = rules_on(day)
    judged = Judged(stack, now, later, run_rules(later, rules, today=day), len(rules))
    page = to_html(build_page(judged, day))
    refuse_foreign([file], MARK, suggestion="move it, or name another file with --to")
    write_files(file.parent, {file.name: page}, MARK)
    say(f"{file}: {len(page.encode()) / 1000:,.0f} KB; open it in a browser")
