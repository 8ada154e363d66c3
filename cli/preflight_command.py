"""The command `dynamo-stack preflight`."""

# ruff: noqa: PLC0415
# Pulumi's SDK alone takes longer to load than `list` runs.

from typing import Annotated

import typer

from cli.stack_argument import StackArgument
from operations.permissions.right import Holder


def preflight_command(
    stack: StackArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
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
    """Ask the account, or the cluster that exists, for what a stack needs: exit 1 if `up` would fail."""
    from cli.preflight import preflight, print_policy

    if policy is None:
        preflight(stack, as_json=as_json, binds_claim=bind_claim)
    elif as_json:
        raise typer.BadParameter("--policy prints JSON already, as IAM takes it", param_hint="--json")
    else:
        print_policy(stack, policy)
