"""What the program asks AWS: who makes the cluster."""

from typing import cast

import pulumi
import pulumi_aws as aws
from pulumi.output import UNKNOWN

from stacks.updates.running import Running


def principal(running: Running | None, account: aws.Provider) -> pulumi.Input[str] | None:
    """Return the ARN of who made the cluster, or makes it now; None where EKS has made the entry itself.

    Without a state, `running` is None, there is no account either that could say it.

    Raises:
        pulumi.RunError: AWS does not say who runs this.

    """
    if running is None:
        return pulumi.Output.from_input(cast("str", UNKNOWN))
    if running.creator is not None or running.entered_by_eks:
        return running.creator
    return _caller(account)


def _caller(account: aws.Provider) -> str:
    options = pulumi.InvokeOptions(provider=account)
    arn = aws.get_caller_identity(opts=options).arn
    try:
        # A session's ARN names its role without the role's path, which the entry needs.
        return aws.iam.get_session_context(arn=arn, opts=options).issuer_arn
    except Exception as error:
        # The SDK raises nothing more precise than Exception for an invoke that failed.
        raise pulumi.RunError(
            f"AWS does not say which role {arn} is a session of: {error}\n"
            "  try: let these credentials iam:GetRole that role; its ARN, with its path, enters the cluster"
        ) from None
