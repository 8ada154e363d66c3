"""A model cache that cannot become what is asked for is refused before anything changes."""

from typing import Any

from stacks.updates.guards.refused_changes import volume_problems
from tests.stacks.updates.changes import state
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings


def _settings(size: str = "200Gi", storage_class: str = "shared-files") -> dict[str, Any]:
    return disagg_b200_settings() | {"modelCache": {"size": size, "storageClassName": storage_class}}


def _said(before: dict[str, Any], after: dict[str, Any]) -> str:
    problems = volume_problems(state(before).volume, resolved(after).cache)
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)


def test_a_smaller_cache_is_refused_with_the_size_that_there_is_and_the_procedure() -> None:
    assert _said(_settings("1Ti"), _settings("200Gi")) == (
        "Pulumi.dev.yaml: modelCache.size = '200Gi'\n"
        "  the volume has 1024Gi, and Kubernetes does not shrink a claim; nothing was created or changed\n"
        "  allowed: 1024Gi or more\n"
        "  try: modelCache.size: 1024Gi; or another volume, with an interruption "
        "(docs/updates.md#another-volume-for-the-model)"
    )


def test_another_storage_class_is_refused_before_the_claim_that_workers_hold_is_deleted() -> None:
    said = _said(_settings(), _settings(storage_class="fast-disks"))
    assert said.startswith(
        "Pulumi.dev.yaml: modelCache.storageClassName = 'fast-disks'\n  the volume is of class shared-files"
    )
    assert "one that never got a volume: docs/runbook/cache-volume-unbound.md" in said
    assert "try: modelCache.storageClassName: shared-files; or another volume" in said


def test_the_same_cache_or_a_larger_one_is_not_refused() -> None:
    assert _said(_settings("200Gi"), _settings("200Gi")) == ""
    assert _said(_settings("200Gi"), _settings("1Ti")) == ""


def test_efs_holds_what_is_written_whatever_its_claim_says() -> None:
    large = eks_b200_settings() | {"modelCache": {"size": "300Gi", "storage": {"kind": "efs"}}}
    small = eks_b200_settings() | {"modelCache": {"size": "200Gi", "storage": {"kind": "efs"}}}
    assert _said(large, small) == ""


def test_a_stack_that_has_no_volume_yet_may_have_any() -> None:
    existing = disagg_b200_settings() | {
        "model": {"source": {"kind": "existingVolume", "claimName": "models"}}
    }
    del existing["modelCache"]
    assert _said(existing, _settings("100Gi")) == ""


def test_a_volume_of_somebody_else_is_never_judged() -> None:
    existing = disagg_b200_settings() | {
        "model": {"source": {"kind": "existingVolume", "claimName": "models"}}
    }
    del existing["modelCache"]
    assert _said(_settings(), existing) == ""


def _lustre(size: str) -> dict[str, Any]:
    return eks_b200_settings() | {"modelCache": {"size": size, "storage": {"kind": "fsxLustre"}}}


def test_a_file_system_of_the_stacks_own_grows_and_never_shrinks() -> None:
    assert _said(_lustre("1200Gi"), _lustre("2400Gi")) == ""
    said = _said(_lustre("2400Gi"), _lustre("1200Gi"))
    assert "the volume has 2400Gi, and FSx does not shrink a file system; nothing was" in said


def test_a_class_in_place_of_the_stacks_own_file_system_is_refused() -> None:
    named = eks_b200_settings() | {"modelCache": {"size": "1200Gi", "storageClassName": "gp3"}}
    said = _said(_lustre("1200Gi"), named)
    assert (
        "modelCache.storageClassName = 'gp3'\n  the volume is a file system that this stack has made" in said
    )
    assert "modelCache.storage\n" in _said(named, _lustre("1200Gi"))
