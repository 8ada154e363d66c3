"""What another stack has where this one would make its own, and a claim that the cluster no longer has."""

from dataclasses import replace
from typing import Any

import pytest

from failures.losses import ClaimAndLosses
from stacks.updates.comparable_graph import graph_of
from stacks.updates.guards import foreign_and_lost as guard
from stacks.updates.guards.foreign_and_lost import (
    foreign_problems,
    loss_notices,
    lost_claim,
    objects_of,
    uid_of,
)
from stacks.updates.running import DeployedVolume, Running, running_of
from tests.stacks.changed_settings import SOMEBODY_ELSES_VOLUME, changed
from tests.stacks.updates.changes import state
from tests.support.clusters import REFUSED, SILENT, Told
from tests.support.dev_settings import disagg_b200_settings, resolved

STACK = resolved(disagg_b200_settings())
Objects = dict[str, Any]
URN = "urn:pulumi:dev::dynamo-stack::kubernetes:core/v1:Namespace::any"


def _object(name: str, stack: str = "", *, release: str = "", **metadata: Any) -> Objects:
    labels = {"app.kubernetes.io/managed-by": "pulumi", "app.kubernetes.io/instance": stack} if stack else {}
    annotations = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "dynamo-system"}
    whose = {"labels": labels, "annotations": annotations if release else {}}
    return {"metadata": {"name": name, "uid": f"uid-{name}", **whose, **metadata}}


def _operator(namespace: str = "dynamo-system") -> Objects:
    operator = _object("operator", release="dynamo-platform", namespace=namespace)
    operator["metadata"]["labels"] = {"helm.sh/chart": "dynamo-operator-1.2.1"}
    return operator


def _said(
    resources: dict[str, Any] | None = None, before: Running | None = None, **answers: Any
) -> list[str]:
    problems = foreign_problems(STACK, before or running_of(resources or {}, {}), Told(answers))
    return [problem.text("Pulumi.dev.yaml") for problem in problems]


def test_a_second_stack_with_a_platform_of_its_own_is_refused_and_told_to_use_the_first_ones() -> None:
    namespaces = [_object("dynamo-system", "first"), _object("gpt-oss", "dev")]
    assert _said(namespaces=namespaces, deployments=[_operator()]) == [
        "Pulumi.dev.yaml: platform.kind = 'own'\n"
        "  a Dynamo platform of stack first runs in namespace dynamo-system already, and a cluster has one; "
        "nothing was created or changed\n"
        '  try: platform: {kind: existing, version: "1.2.1", namespace: dynamo-system}, '
        "which uses it and never changes it"
    ]


def test_a_platform_that_somebody_installed_elsewhere_with_helm_is_seen_too() -> None:
    [said] = _said(deployments=[_operator("team-a")])
    assert "a Dynamo platform of Helm release dynamo-system/dynamo-platform runs in namespace team-a" in said
    assert "namespace: team-a}" in said
    # In a namespace of this stack's name that nobody has labelled.
    [said] = _said(namespaces=[_object("dynamo-system")], deployments=[_operator()])
    assert "a Dynamo platform of Helm release" in said


@pytest.mark.parametrize("resources", [{}, {URN: {"metadata": {"uid": "any"}}}], ids=["first", "later"])
def test_what_an_interrupted_run_of_this_stack_left_is_left_to_recover(resources: dict[str, Any]) -> None:
    mine = [_object("dynamo-system", "dev"), _object("gpt-oss", "dev")]
    assert _said(resources, namespaces=mine, deployments=[_operator()]) == []


def test_a_stack_that_has_its_platform_is_not_refused_for_the_operator_of_others() -> None:
    assert _said(before=state(disagg_b200_settings()), deployments=[_operator("team-a")]) == []


@pytest.mark.parametrize(
    ("plural", "name", "key", "title"),
    [
        ("namespaces", "gpt-oss", "serving.namespace", "namespace"),
        ("namespaces", "dynamo-system", "platform.namespace", "namespace"),
        ("dynamographdeployments", "gpt-oss-disagg", "serving.name", "graph"),
        ("persistentvolumeclaims", "model-cache", "serving.namespace", "claim"),
    ],
)
def test_a_name_that_another_stack_has_is_refused_with_its_key_and_its_owner(
    plural: str, name: str, key: str, title: str
) -> None:
    [said] = _said(**{plural: [_object(name, "first")]})
    assert said == (
        f"Pulumi.dev.yaml: {key} = '{name}'\n"
        f"  {title} {name} exists already and belongs to stack first; nothing was created or changed\n"
        f"  try: another {key}; what stack first has is neither taken over nor deleted"
    )
    # A stack that was renamed knows its own objects by their uids.
    assert _said({URN: {"metadata": {"uid": f"uid-{name}"}}}, **{plural: [_object(name, "first")]}) == []


def test_a_platform_of_others_that_the_settings_name_is_no_surprise() -> None:
    existing = {"kind": "existing", "version": "1.2.1", "namespace": "dynamo-system"}
    settings = disagg_b200_settings() | {"platform": existing}
    cluster = Told({"deployments": [_operator()], "namespaces": [_object("dynamo-system", "first")]})
    assert foreign_problems(resolved(settings), Running(), cluster) == ()


@pytest.mark.parametrize("answer", [REFUSED, SILENT])
def test_a_cluster_that_does_not_say_refuses_nothing(answer: Any) -> None:
    assert _said(namespaces=answer, deployments=answer, dynamographdeployments=answer) == []


BEFORE = Running(graphs=(graph_of(STACK),), volume=DeployedVolume(150, "shared-files", "uid-1"))


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
    assert lost.keys() == {"uid-1"}
    assert words in lost["uid-1"]
    assert "try: `pulumi up --refresh --stack dev` (docs/runbook/cache-lost.md)" in lost["uid-1"]
    assert lost_claim(STACK, replace(BEFORE, graphs=()), _seen(uid)) == lost


def test_the_uid_of_a_claim_that_nobody_can_read_is_not_known() -> None:
    assert [uid_of(each) for each in (_seen("uid-1"), _seen(None), None)] == ["uid-1", None, None]


def test_a_stack_that_is_taken_down_needs_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "makes_resources", lambda: False)
    assert lost_claim(STACK, BEFORE, _seen(None)) == {}


@pytest.mark.parametrize(
    ("before", "seen"),
    [
        (BEFORE, _seen("uid-1")),
        (BEFORE, None),
        (Running(), _seen(None)),
        (replace(BEFORE, volume=None), _seen("x")),
    ],
)
def test_the_claim_of_the_state_a_silent_cluster_and_a_first_up_are_no_loss(
    before: Running, seen: ClaimAndLosses | None
) -> None:
    assert loss_notices(STACK, before, seen) == ()
    assert lost_claim(STACK, before, seen) == {}


def test_a_volume_of_somebody_elses_is_looked_at_under_its_own_name() -> None:
    objects = objects_of(resolved(changed(disagg_b200_settings(), SOMEBODY_ELSES_VOLUME)))
    assert (objects.claim, objects.job, objects.own_claim) == ("shared-models", "model-check", False)
    assert objects_of(STACK).namespaces == ("dynamo-system", "gpt-oss")
