"""Log groups of control planes, which come back: EKS writes its last lines after the cluster is gone.

The group is then deleted already, and the service makes it again, with no end to how long it keeps lines
(terraform-aws-modules/terraform-aws-eks#920). On AWS this is a race; here it is lost each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place

LAST_LINES = "eks-last-log-lines"
"""Names of log groups that a deleted cluster has still something to write to."""


@answers("logs", "DeleteLogGroup")
def delete(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Removes a log group; one of a deleted cluster is there again, the first time."""
    name = given["logGroupName"]
    if name not in place.logs.groups:
        raise Refused("ResourceNotFoundException", "The specified log group does not exist.")
    place.logs.delete_log_group(name)
    if place.store.delete(LAST_LINES, place.key(name)) is not None:
        place.logs.create_log_group(name, {})
    return {}
