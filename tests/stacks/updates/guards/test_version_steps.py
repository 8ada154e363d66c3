"""EKS brings a cluster one minor version further at a time."""

import pytest

from stacks.updates.deployed import Deployed
from stacks.updates.guards.refused_changes import refused_changes
from tests.stacks.changed_settings import changed, phase
from tests.stacks.updates.changes import state
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings


def _said(before: str | None, now: str) -> list[str]:
    running, wanted = (
        changed(eks_b200_settings(), phase("waiting"), {"cluster.version": version or now})
        for version in (before, now)
    )
    problems = refused_changes(resolved(wanted), state(running) if before else Deployed(), None)
    return [problem.text("Pulumi.own.yaml") for problem in problems]


def test_two_minor_versions_at_once_are_refused_with_the_one_between() -> None:
    assert _said("1.34", "1.36") == [
        "Pulumi.own.yaml: cluster.version = '1.36'\n"
        "  the cluster runs 1.34, and EKS passes over no minor version\n"
        '  try: "1.35", and `pulumi up`; then "1.36"'
    ]


@pytest.mark.parametrize(("before", "now"), [("1.34", "1.34"), ("1.34", "1.35"), (None, "1.36")])
def test_the_same_version_the_next_and_the_first_are_taken(before: str | None, now: str) -> None:
    assert _said(before, now) == []
