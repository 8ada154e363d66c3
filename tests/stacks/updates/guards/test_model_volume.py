"""A model cache that cannot become what is asked for is refused before anything changes."""

import pytest

from stacks.updates.guards.refused_changes import volume_problems
from tests.stacks.changed_settings import SOMEBODY_ELSES_VOLUME, Settings, changed
from tests.stacks.updates.changes import state
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings


def _class(size: str, name: str = "shared-files") -> Settings:
    return disagg_b200_settings() | {"modelCache": {"size": size, "storageClassName": name}}


def _made(kind: str, size: str) -> Settings:
    return eks_b200_settings() | {"modelCache": {"size": size, "storage": {"kind": kind}}}


EXISTING = changed(disagg_b200_settings(), SOMEBODY_ELSES_VOLUME)
NAMED = eks_b200_settings() | {"modelCache": {"size": "1200Gi", "storageClassName": "gp3"}}


def _said(before: Settings, after: Settings) -> str:
    problems = volume_problems(state(before).volume, resolved(after).cache)
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            _class("1Ti"),
            _class("200Gi"),
            "Pulumi.dev.yaml: modelCache.size = '200Gi'\n"
            "  the volume has 1024Gi, and Kubernetes does not shrink a claim; nothing was created or "
            "changed\n"
            "  allowed: 1024Gi or more\n"
            "  try: modelCache.size: 1024Gi; or another volume, with an interruption "
            "(docs/updates.md#another-volume-for-the-model)",
        ),
        (
            _made("fsxLustre", "2400Gi"),
            _made("fsxLustre", "1200Gi"),
            "Pulumi.dev.yaml: modelCache.size = '1200Gi'\n"
            "  the volume has 2400Gi, and FSx does not shrink a file system; nothing was",
        ),
        (
            _class("200Gi"),
            _class("200Gi", "fast-disks"),
            "Pulumi.dev.yaml: modelCache.storageClassName = 'fast-disks'\n"
            "  the volume is of class shared-files, and a claim never changes its class (one that never got "
            "a volume: docs/runbook/cache-volume-unbound.md); nothing was created or changed\n"
            "  allowed: shared-files\n"
            "  try: modelCache.storageClassName: shared-files; or another volume",
        ),
        (
            _made("fsxLustre", "1200Gi"),
            NAMED,
            "Pulumi.dev.yaml: modelCache.storageClassName = 'gp3'\n"
            "  the volume is a file system that this stack has made",
        ),
        (NAMED, _made("fsxLustre", "1200Gi"), "Pulumi.dev.yaml: modelCache.storage\n"),
    ],
)
def test_another_volume_is_refused_before_the_claim_that_workers_hold_is_deleted(
    before: Settings, after: Settings, says: str
) -> None:
    assert _said(before, after).startswith(says)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_class("200Gi"), _class("200Gi"), id="the same"),
        pytest.param(_class("200Gi"), _class("1Ti"), id="a larger one"),
        pytest.param(_made("fsxLustre", "1200Gi"), _made("fsxLustre", "2400Gi"), id="a larger file system"),
        pytest.param(_made("efs", "300Gi"), _made("efs", "200Gi"), id="EFS, which holds what is written"),
        pytest.param(EXISTING, _class("100Gi"), id="a first one of the stack's own"),
        pytest.param(_class("200Gi"), EXISTING, id="somebody else's, which is never judged"),
    ],
)
def test_a_cache_that_can_become_what_is_asked_for_is_taken(before: Settings, after: Settings) -> None:
    assert _said(before, after) == ""
