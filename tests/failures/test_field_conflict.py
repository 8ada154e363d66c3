"""A field conflict: who, which field, and what to type."""

import pytest

from failures.explanation import Subject
from failures.failed_operation import conflict_text

SUBJECT = Subject("DynamoGraphDeployment", "gpt-oss-disagg", "gpt-oss")
HEAD = 'The resource managed by field manager "pulumi-kubernetes-0badcafe" had an apply conflict: '


ONE = 'Apply failed with 1 conflict: conflict with "autoscaler" using nvidia.com/v1alpha1: .spec.a.b'
SEVERAL = (
    'Apply failed with 3 conflicts: conflicts with "autoscaler" using v1:\n- .spec.a\n- .spec.b\n'
    'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
)


@pytest.mark.parametrize(
    ("conflicts", "said"),
    [
        (ONE, "of DynamoGraphDeployment gpt-oss-disagg:\n  .spec.a.b, set by autoscaler\n"),
        (
            SEVERAL,
            "  .spec.a, set by autoscaler\n  .spec.b, set by autoscaler\n"
            "  .spec.replicas, set by kubectl (scale)\n",
        ),
        ("Apply failed", "the error below names the field"),
    ],
    ids=["one", "several", "words that nobody knows"],
)
def test_a_conflict_names_fields_and_managers_and_both_ways_out(conflicts: str, said: str) -> None:
    text = conflict_text(SUBJECT, "dev", HEAD + conflicts)
    assert said in text
    for way in (
        "dynamo-stack drift dev",
        "`kubectl edit DynamoGraphDeployment/gpt-oss-disagg --namespace gpt-oss`",
        "`pulumi up --refresh --stack dev`",
        "Pulumi.dev.yaml",
    ):
        assert way in text
    assert "FORCE" not in text
    assert "pulumi-kubernetes-0badcafe" not in text
