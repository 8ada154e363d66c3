"""Which setting makes AWS refuse what, and what to type then.

Codes: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html for EC2; for EKS, EFS, FSx
and IAM the errors of their service models, and NodegroupIssueCode of EKS for what comes to light later.
"""

from components.diagnosis import account_refusals, node_refusals, place_refusals
from components.diagnosis.aws_error import AwsError
from components.diagnosis.aws_refusal import Refusal

REFUSALS = (
    *account_refusals.REFUSALS,
    *node_refusals.REFUSALS,
    *place_refusals.REFUSALS,
    *account_refusals.ANY_QUOTA,
)


def refusal_of(error: AwsError) -> Refusal | None:
    """Return the first line that fits; None for what the table does not know."""
    return next((line for line in REFUSALS if line.fits(error)), None)
