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


def preflight(name: str) -> None:
    """Ask the account whether it can give what the stack needs; nothing is made or bought.

    Raises:
        CommandError: the stack makes no cluster, or the account cannot be asked.
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
    table = make_table("RESULT", "QUESTION", "FOUND", "FIX")
    for answer in found:
        table.add_row(answer.verdict.value, answer.question, answer.found, answer.fix)
    print_table(console, table)
    print_line(console)
    for nodes in plan.gpu_nodes:
        print_line(console, _price(nodes.pool, nodes.nodes * nodes.instance_type.gpus, _rate(nodes)))
    wrong = sum(answer.verdict is Verdict.WRONG for answer in found)
    unknown = sum(answer.verdict is Verdict.UNKNOWN for answer in found)
    print_line(console, f"stack {name}: {wrong} wrong, {unknown} unknown, {len(found)} asked")


def _rate(nodes: PlannedNodes) -> float | None:
    kind = nodes.instance_type
    if isinstance(nodes.purchase, CapacityBlock):
        return kind.capacity_block_usd_per_gpu_hour
    return kind.on_demand_usd_per_gpu_hour


def _price(pool: str, gpus: int, rate: float | None) -> str:
    if rate is None:
        return f"pool {pool}: {gpus} GPUs; no published price for this way of buying"
    return f"pool {pool}: {gpus} GPUs x {rate:.2f} = {gpus * rate:.2f} US dollars an hour (published, dated)"
