"""`dynamo-stack preflight`."""

# ruff: noqa: PLC0415
# botocore takes as long to load as a whole `check`, and a stack without EKS needs none of it.

import json
from collections.abc import Mapping
from typing import Annotated

import typer

from cli.exit_codes import FAILED
from cli.output import print_answers, print_result, say
from cli.stack_argument import AsJson, StackArgument, refuse
from operations.errors import CommandError
from operations.permissions.right import Holder
from operations.preflight.answer import Preflight
from operations.project import recorded_stack, resolved_stack
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.plan.stack_plan import StackPlan, in_phase, waited_for
from stacks.updates.planned_update import waiting_text

_STATE = "not in it: where the state lies, and the key of its secrets; with s3:// and awskms://"
_NOT_IN_IT: Mapping[Holder, str] = {
    "deployer": f"{_STATE} s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, kms:Decrypt",
    "previewer": f"{_STATE} s3:ListBucket, s3:GetObject, kms:Decrypt",
}


def preflight(
    stack: StackArgument,
    *,
    as_json: AsJson = False,
    bind_claim: Annotated[
        bool,
        typer.Option(
            "--bind-claim",
            help="On a cluster that exists: make a claim of the storage class, and delete it once bound; "
            "a class may make a whole file system for it.",
        ),
    ] = False,
    policy: Annotated[
        Holder | None,
        typer.Option(
            "--policy",
            help="Ask nothing: print the IAM policy that the stack's deployer or previewer needs.",
        ),
    ] = None,
) -> None:
    """Ask the account, or the cluster that exists, for what the stack needs; exit 1 where `up` would fail.

    Nothing is bought, and nothing made but the claim that `bind_claim` asks for.
    """
    if policy is not None:
        refuse("--bind-claim", bind_claim, "makes a claim, and --policy asks nothing: leave one of them out")
        refuse("--json", as_json, "--policy prints JSON already, as IAM takes it")
        _print_policy(stack, policy)
        return
    plan = resolved_stack(stack)
    own = plan.infrastructure is not None or "infrastructure" in plan.layers.joined
    refuse("--bind-claim", bind_claim and own, "goes with a cluster that exists; a stack makes this one")
    report = _of_account(plan) if own else _of_cluster(plan, binds_claim=bind_claim)
    print_result("preflight", report, _print, as_json=as_json, code=FAILED if report.wrong else 0)


def _of_cluster(stack: StackPlan, *, binds_claim: bool) -> Preflight:
    from operations.commands import ClusterCommands
    from operations.preflight.cluster_checks import bound_claim, cluster_answers

    cluster = ClusterCommands.of_stack(stack, needs_helm=False)
    found = tuple(cluster_answers(stack, cluster))
    if binds_claim:
        found = (*found, bound_claim(stack, cluster))
    return Preflight(
        stack=stack.name, region=None, context=stack.settings.cluster.context, answers=found, remarks=()
    )


def _of_account(stack: StackPlan) -> Preflight:
    from operations.preflight.account import Account
    from operations.preflight.checks import answers

    plan = _infrastructure(stack)
    account = Account(plan.cluster.region, plan.cluster.assume_role)
    found = tuple(answers(plan, account))
    waiting = tuple(f"no graph yet: {waiting_text(nodes)}" for nodes in waited_for(stack))
    return Preflight(
        stack=stack.name, region=plan.cluster.region, context=None, answers=found, remarks=waiting
    )


def _print_policy(name: str, holder: Holder) -> None:
    """Print the IAM policy that a stack's deployer or previewer needs, and on stderr what is not in it.

    Nothing is asked: it is worked out from the resources that the program registers.
    """
    from operations.permissions.policy import LARGEST, policies

    stack = resolved_stack(name)
    plan = _infrastructure(stack)
    # What a node group waits with comes before its window, and goes with it.
    graphs = [recorded_stack(in_phase(stack, phase)) for phase in ("waiting", "active")]
    made = policies(plan, graphs, holder)
    for policy in made:
        typer.echo(json.dumps(policy, indent=2))
    if len(made) > 1:
        say(f"{len(made)} policies, for IAM takes {LARGEST:,} characters in one: attach all", error=True)
    say(_NOT_IN_IT[holder], error=True)


def _infrastructure(stack: StackPlan) -> EksPlan:
    """Return what the stack makes in an account; CommandError where that is nothing."""
    owner = stack.layers.joined.get("infrastructure")
    if owner is not None:
        message = f"stack {owner} makes the cluster of stack {stack.name}"
        raise CommandError(f"{message}: `dynamo-stack preflight {owner}` asks the account")
    if stack.infrastructure is None:
        raise CommandError(
            f"stack {stack.name} uses a cluster that exists: there is nothing to ask an account"
        )
    return stack.infrastructure


def _print(report: Preflight) -> None:
    rows = ((answer.verdict.words, answer.question, answer.found) for answer in report.answers)
    helps = ((answer.question, answer.fix) for answer in report.answers)
    counts = f"{report.wrong} wrong, {report.unknown} unknown of {len(report.answers)} answers"
    closing = (*report.remarks, f"stack {report.stack}: {counts}")
    print_answers(("RESULT", "QUESTION", "FOUND"), rows, helps, closing)
