"""A field conflict: who, which field, and what to type."""

from failures.explanation import Subject
from failures.field_conflict import conflict_text

SUBJECT = Subject("DynamoGraphDeployment", "gpt-oss-disagg", "gpt-oss")
HEAD = 'The resource managed by field manager "pulumi-kubernetes-0badcafe" had an apply conflict: '


def _said(conflicts: str) -> str:
    return conflict_text(SUBJECT, "dev", HEAD + conflicts)


def test_one_conflict_names_field_and_manager_and_both_ways_out() -> None:
    said = _said(
        'Apply failed with 1 conflict: conflict with "autoscaler" using nvidia.com/v1alpha1: .spec.a.b'
    )
    assert "of DynamoGraphDeployment gpt-oss-disagg:\n  .spec.a.b, set by autoscaler\n" in said
    assert "dynamo-stack drift dev" in said
    assert "`kubectl edit DynamoGraphDeployment/gpt-oss-disagg --namespace gpt-oss`" in said
    assert "`pulumi up --refresh --stack dev`" in said
    assert "FORCE" not in said
    assert "Pulumi.dev.yaml" in said
    assert "pulumi-kubernetes-0badcafe" not in said


def test_several_conflicts_are_each_named() -> None:
    said = _said(
        'Apply failed with 3 conflicts: conflicts with "autoscaler" using v1:\n- .spec.a\n- .spec.b\n'
        'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
    )
    assert "  .spec.a, set by autoscaler\n  .spec.b, set by autoscaler\n" in said
    assert "  .spec.replicas, set by kubectl (scale)\n" in said


def test_a_conflict_in_words_that_nobody_knows_still_says_what_to_type() -> None:
    said = _said("Apply failed")
    assert "the error below names the field" in said
    assert "dynamo-stack drift dev" in said
