"""`dynamo-stack report`: a stack as one page for a browser."""

from pathlib import Path
from typing import Annotated

import typer

from cli.output import say
from cli.own_files import write_files
from cli.price_age import today
from cli.stack_argument import StackArgument
from explain.page import build_page, to_html
from operations.errors import CommandError
from operations.project import recorded_stack, resolved_stack
from rules.catalogue import rules_on, run_rules
from stacks.plan.stack_plan import in_phase

MARK = "<!-- Written by `dynamo-stack report`; changes are overwritten. -->"


def report(
    stack: StackArgument,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE.html", help="Write the page here; folders are made.")
    ],
) -> None:
    """Write the page of the stack, or nothing where somebody else's file is in the way."""
    if to.is_dir():
        raise CommandError(f"--to {to}: is a folder\n  try: --to {to / f'{stack}.html'}")
    plan = resolved_stack(stack)
    opened = in_phase(plan, "active")
    later = recorded_stack(opened)
    now = later if opened == plan else recorded_stack(plan)
    day = today()
    rules = rules_on(day)
    found = run_rules(later, rules, today=day)
    page = to_html(build_page(plan, now, later, found, rules=len(rules), today=day))
    suggestion = "move it, or name another file with --to"
    write_files(to.parent, {to.name: page}, MARK, suggestion=suggestion)
    say(f"{to}: {len(page.encode()) / 1000:,.0f} KB; open it in a browser")
