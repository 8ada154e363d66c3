"""Stacks that are taken down, with waits short enough for a test."""

import pytest

from tests.support.lab_stack import LabStack, inventory
from tests.support.sandbox import Sandbox

GRAPHS, GRAPH = "dynamographdeployments.v1alpha1.nvidia.com", "gpt-oss-disagg"
NAMESPACE, PLATFORM = "gpt-oss", "dynamo-system"
SECONDS = 4
# What remains in a namespace is said five seconds after it began to go.
CONTENT_SECONDS = 12
# A graph goes after its parts and pods.
GRAPH_SECONDS = 30
OPERATOR = "deployment/dynamo-platform-dynamo-operator-controller-manager"

# The program as it is, but that no deletion is waited for longer than a test wants to.
_QUICK = f"""
import pulumi


def quick(registration):
    limit = registration.opts.custom_timeouts
    with_content = registration.type_.endswith((":Namespace", ":PersistentVolumeClaim"))
    end = "{CONTENT_SECONDS}s" if with_content else "{SECONDS}s"
    end = "{GRAPH_SECONDS}s" if registration.type_.endswith(":DynamoGraphDeployment") else end
    short = pulumi.CustomTimeouts(limit and limit.create, limit and limit.update, end)
    opts = pulumi.ResourceOptions.merge(registration.opts, pulumi.ResourceOptions(custom_timeouts=short))
    if registration.type_.startswith("kubernetes:") and "Release" not in registration.type_:
        return pulumi.ResourceTransformationResult(registration.props, opts)


pulumi.runtime.register_stack_transformation(quick)
"""


@pytest.fixture(scope="module")
def before(own_lab: Sandbox) -> set[str]:
    """What the cluster held before the stack."""
    return set(inventory(own_lab))


def up_with_quick_ends(stack: LabStack) -> None:
    """Brings the stack up so that a deletion that hangs ends in seconds."""
    program = stack.project / "__main__.py"
    program.write_text(_QUICK + program.read_text())
    stack.pulumi("up", "--yes", "--skip-preview")
