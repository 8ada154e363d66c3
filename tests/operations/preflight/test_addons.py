"""Pinned builds of add-ons, and whether EKS has them: `dynamo-stack preflight` against the lab's account."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from stacks.plan import versions
from stacks.plan.infrastructure import eks_plan
from tests.operations.preflight.account import Account, at
from tests.operations.preflight.stacks import WEEK, in_a_block, seen

Preflight = Any


@pytest.mark.parametrize("version", sorted(versions.EKS_ADDONS))
def test_eks_has_every_pinned_build_of_every_version_that_can_be_typed(
    account: Account, preflight: Preflight, version: str
) -> None:
    account.bought(at(-1), at(WEEK))
    settings = in_a_block(at(-1))
    settings["cluster"]["version"] = version
    answer = preflight(settings)
    assert f"good add-ons for Kubernetes {version} EKS has the pinned builds of all 6" in seen(answer)


def test_a_build_that_eks_does_not_have_is_wrong_and_the_newest_one_is_named(
    account: Account, preflight: Preflight, monkeypatch: pytest.MonkeyPatch
) -> None:
    account.bought(at(-1), at(WEEK))
    known = versions.EKS_ADDONS
    changed = {name: {**builds, eks_plan.EBS_ADDON: "v1.57.1-eksbuild.1"} for name, builds in known.items()}
    monkeypatch.setattr(eks_plan, "EKS_ADDONS", MappingProxyType(changed))
    answer = preflight(in_a_block(at(-1)))
    assert answer.code == 1
    shown = seen(answer)
    assert "wrong add-on aws-ebs-csi-driver EKS has no build v1.57.1-eksbuild.1 for Kubernetes 1.35" in shown
    fix = "fix add-on aws-ebs-csi-driver: EKS_ADDONS in stacks/plan/versions.py: v1.66.0-eksbuild.1\n"
    assert fix in answer.out
    assert "1 wrong" in shown
