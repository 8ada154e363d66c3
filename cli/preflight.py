"""`dynamo-stack preflight`."""

# ruff: noqa: PLC0415
# botocore takes as long to load as a whole `check`, and a stack without EKS needs none of it.

import datetime as dt

import typer

from cli.errors import CommandError
from cli.exit_codes import FAILED
from cli.output import make_console, make_table, print_line, print_table
from cli.preflight_checks.answers import Answer, Verdict
from cli.project import resolved_stack
from stacks.infrastructure.plan import CapacityBlock, EksPlan, PlannedNodes
from stacks.infrastructure.prices import NAMES, usd_per_gpu_hour


def preflight(name: str) -> None:
    """Ask the account whether it can give what the stack needs; nothing is made or bought.

    Raises:
        CommandError: the stack makes no cluster, or the account cannot be asked.
        typer.Exit: `up` would fail, or do what nobody meant.

    """
    from cli.preflight_checks.account import Account
    from cli.preflight_checks.questions import answers

    plan = resolved_stack(name).infrastructure
    if plan is None:
        raise CommandError(f"stack {name} uses a cluster that exists: there is nothing to ask an account")
    found = list(answers(plan, Account(plan.region), dt.datetime.now(dt.UTC)))
    _print(name, plan, found)
    if any(answer.verdict is Verdict.WRONG for answer in found):
        raise typer.Exit(FAILED)


def _print(name: str, plan: EksPlan, found: list[Answer]) -> None:
    console = make_console()
    table = make_table("RESULT", "QUESTION", "FOUND")
    for answer in found:
        table.add_row(answer.verdict.value, answer.question, answer.found)
    print_table(console, table)
    print_line(console)
    for answer in found:
        if answer.fix:
            # Apart from the table, whose columns would break what is to be typed.
            print_line(console, f"fix {answer.question}: {answer.fix}")
    if any(answer.fix for answer in found):
        print_line(console)
    for nodes in plan.gpu_nodes:
        print_line(console, f"pool {nodes.pool}: {_price(nodes)}")
    wrong = sum(answer.verdict is Verdict.WRONG for answer in found)
    unknown = sum(answer.verdict is Verdict.UNKNOWN for answer in found)
    print_line(console, f"stack {name}: {wrong} wrong, {unknown} unknown of {len(found)} answers")


def _price(nodes: PlannedNodes) -> str:
    kind, purchase = nodes.instance_type, nodes.purchase
    gpus, rate = nodes.nodes * kind.gpus, usd_per_gpu_hour(kind, purchase)
    bought = NAMES[purchase.kind]
    if rate is None:
        return f"{gpus} GPUs, {bought}: no published price"
    block = isinstance(purchase, CapacityBlock)
    source = kind.sources["capacity_block_usd_per_gpu_hour" if block else "on_demand_usd_per_gpu_hour"]
    cost = f"{gpus} GPUs, {bought}: ${gpus * rate:,.2f} an hour at ${rate:,.3f} a GPU ({source.date})"
    sold = next((unit for unit in kind.ultraservers if unit.gpus >= gpus), None)
    if sold is None or sold.gpus == gpus:
        return cost
    return f"{cost}; {sold.name} is the least that is sold, ${sold.usd_per_hour:,.2f} an hour"
