"""Which IAM role or user a cluster's access entry is for."""

from typing import cast

import pulumi
import pulumi_aws as aws
from pulumi.output import UNKNOWN

from stacks.updates.deployed import Creator


def principal(creator: Creator, account: aws.Provider) -> pulumi.Input[str] | None:
    """Return the ARN; None where EKS has made the entry itself.

    Raises:
        pulumi.RunError: AWS does not say who runs this, or it is the account's root user.

    """
    if creator.entered_by_eks:
        return None
    if creator.arn is not None:
        return creator.arn
    if creator.makes_it_now:
        return _caller(account)
    return pulumi.Output.from_input(cast("str", UNKNOWN))


def _caller(account: aws.Provider) -> str:
    options = pulumi.InvokeOptions(provider=account)
    arn = aws.get_caller_identity(opts=options).arn
    if arn.endswith(":root"):
        raise pulumi.RunError(
            "the credentials are the account's root user, which EKS gives no access entry\n"
            "  try: credentials of an IAM role or user"
        )
    try:
        # A session's ARN names its role without the role's path, which the entry needs.
        return aws.iam.get_session_context(arn=arn, opts=options).issuer_arn
    except Exception as error:
        # The SDK raises nothing more precise than Exception for an invoke that failed.
        raise pulumi.RunError(
            f"AWS does not say which role {arn} is a session of: {error}\n"
            "  try: let these credentials iam:GetRole that role; its ARN, with its path, enters the cluster"
        ) from None
