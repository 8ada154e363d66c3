"""Which setting makes AWS refuse what, and what to type then.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html for EC2; for EKS, EFS, FSx
and IAM the errors of their service models, and NodegroupIssueCode of EKS for what comes to light later.
"""

from failures.aws import accounts, nodes, places
from failures.aws.errors import AwsError
from failures.aws.refusal import Refusal

REFUSALS = (
    *accounts.REFUSALS,
    *nodes.REFUSALS,
    *places.REFUSALS,
    *accounts.ANY_QUOTA,
)


def refusal_of(error: AwsError) -> Refusal | None:
    """Return the first line that fits; None for what the table does not know."""
    return next((line for line in REFUSALS if line.fits(error)), None)
