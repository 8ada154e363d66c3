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
_SUFFIX = ".html"


def report(
    stack: StackArgument,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE.html", help="Write the page here; folders are made.")
    ],
) -> None:
    """Write the page of the stack, or nothing where somebody else's file is in the way."""
    is_folder = to.is_dir()
    if is_folder or to.suffix != _SUFFIX:
        found = "is a folder" if is_folder else "no browser opens it as a page"
        file = to / f"{stack}{_SUFFIX}" if is_folder else to.with_suffix(_SUFFIX)
        raise CommandError(
            f"--to {to}: {found}\n  allowed: a file whose name ends in {_SUFFIX}\n  try: --to {file}"
        )
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
