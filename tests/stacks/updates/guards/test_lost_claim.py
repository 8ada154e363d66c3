"""What preview and `up` say of a claim that the cluster no longer has as the state knows it."""

from dataclasses import replace

import pytest

from failures.losses import ClaimAndLosses
from stacks.updates.comparable_graph import graph_of
from stacks.updates.deployed import Deployed, DeployedVolume
from stacks.updates.guards import foreign_and_lost as guard
from stacks.updates.guards.foreign_and_lost import loss_notices, lost_claim, objects_of, uid_of
from tests.stacks.changed_settings import SOMEBODY_ELSES_VOLUME, changed
from tests.support.dev_settings import disagg_b200_settings, resolved

STACK = resolved(disagg_b200_settings())
BEFORE = Deployed(graphs=(graph_of(STACK),), volume=DeployedVolume(150, "shared-files", "uid-1"))


def _seen(uid: str | None) -> ClaimAndLosses:
    return ClaimAndLosses({"metadata": {"name": "model-cache", "uid": uid}} if uid else None, ())


@pytest.mark.parametrize(
    ("uid", "words"), [(None, "is gone from the cluster"), ("uid-2", "was made again behind Pulumi's back")]
)
def test_a_claim_that_is_not_that_of_the_state_is_told_by_preview_and_ends_a_plain_up(
    uid: str | None, words: str
) -> None:
    [notice] = loss_notices(STACK, BEFORE, _seen(uid))
    assert notice.warns
    assert notice.text.startswith(f"lost: claim model-cache {words}")
    assert "`up --refresh` makes it again and downloads" in notice.text
    lost = lost_claim(STACK, BEFORE, _seen(uid))
    assert lost
    assert lost.uid == "uid-1"
    assert words in lost.words
    assert "try: `pulumi up --refresh --stack dev` (docs/runbook/cache-lost.md)" in lost.words
    assert lost_claim(STACK, replace(BEFORE, graphs=()), _seen(uid)) == lost


def test_a_stack_that_is_taken_down_needs_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "makes_resources", lambda: False)
    assert lost_claim(STACK, BEFORE, _seen(None)) is None


@pytest.mark.parametrize(
    ("before", "seen"),
    [
        (BEFORE, _seen("uid-1")),
        (BEFORE, None),
        (Deployed(), _seen(None)),
        (replace(BEFORE, volume=None), _seen("x")),
    ],
)
def test_the_claim_of_the_state_a_silent_cluster_and_a_first_up_are_no_loss(
    before: Deployed, seen: ClaimAndLosses | None
) -> None:
    assert loss_notices(STACK, before, seen) == ()
    assert lost_claim(STACK, before, seen) is None


def test_the_uid_of_a_claim_that_nobody_can_read_is_not_known() -> None:
    assert [uid_of(each) for each in (_seen("uid-1"), _seen(None), None)] == ["uid-1", None, None]


def test_a_volume_of_somebody_elses_is_looked_at_under_its_own_name() -> None:
    objects = objects_of(resolved(changed(disagg_b200_settings(), SOMEBODY_ELSES_VOLUME)))
    assert (objects.claim, objects.job, objects.own_claim) == ("shared-models", "model-check", False)
    assert objects_of(STACK).namespaces == ("dynamo-system", "gpt-oss")
