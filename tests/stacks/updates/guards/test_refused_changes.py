"""Changes of a stack that runs which are refused: of its cache, platform, bucket and cluster."""

import pytest

from stacks.updates.guards.refused_changes import SECOND_STACK, refused_changes
from stacks.updates.running import Running
from tests.cli.command import ROOT
from tests.stacks.changed_settings import ON_EACH_NODE, SOMEBODY_ELSES_VOLUME, Settings, changed, phase
from tests.stacks.updates.changes import state
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings


def _said(before: Running, now: Settings) -> str:
    problems = refused_changes(resolved(now), before)
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)


def _class(size: str, name: str = "shared-files") -> Settings:
    return disagg_b200_settings() | {"modelCache": {"size": size, "storageClassName": name}}


def _made(kind: str, size: str) -> Settings:
    return eks_b200_settings() | {"modelCache": {"size": size, "storage": {"kind": kind}}}


EXISTING = changed(disagg_b200_settings(), SOMEBODY_ELSES_VOLUME)
NAMED = eks_b200_settings() | {"modelCache": {"size": "1200Gi", "storageClassName": "gp3"}}


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            _class("1Ti"),
            _class("200Gi"),
            "Pulumi.dev.yaml: modelCache.size = '200Gi'\n"
            "  the volume has 1024Gi, and neither a claim nor a file system shrinks; nothing was created or "
            "changed\n"
            "  allowed: 1024Gi or more\n"
            "  try: modelCache.size: 1024Gi; or another volume, with an interruption "
            "(docs/updates.md#another-volume-for-the-model)",
        ),
        (
            _made("fsxLustre", "2400Gi"),
            _made("fsxLustre", "1200Gi"),
            "Pulumi.dev.yaml: modelCache.size = '1200Gi'\n"
            "  the volume has 2400Gi, and neither a claim nor a file system shrinks",
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
        (
            NAMED,
            _made("fsxLustre", "1200Gi"),
            "Pulumi.dev.yaml: modelCache.storageClassName\n",
        ),
    ],
)
def test_another_volume_is_refused_before_the_claim_that_workers_hold_is_deleted(
    before: Settings, after: Settings, says: str
) -> None:
    assert _said(state(before), after).startswith(says)


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
    assert _said(state(before), after) == ""


def _followed(running: str, wanted: str) -> str:
    """What is said where a release of the platform is to follow the one that runs."""
    release = {"version": running}
    return _said(Running(release=release), changed(disagg_b200_settings(), {"platform.version": wanted}))


@pytest.mark.parametrize(
    ("running", "wanted", "allowed"),
    [
        ("1.2.1", "1.4.2", '  allowed: "1.2.1"\n'),
        ("1.4.2", "1.2.1", '  allowed: "1.4.2"\n'),
        ("1.6.2", "1.4.2", ""),
    ],
)
def test_a_minor_that_is_left_out_under_a_graph_that_runs_is_refused_with_what_may_follow(
    running: str, wanted: str, allowed: str
) -> None:
    assert _followed(running, wanted) == (
        f"Pulumi.dev.yaml: platform.version = '{wanted}'\n"
        f"  {running} runs, and Dynamo supports no step that leaves out a minor release, as to {wanted}; "
        f"nothing was created or changed\n{allowed}"
        f"  try: a second stack with {wanted} on another cluster, then the clients, then the end of this one "
        "(docs/upgrade.md#a-second-stack)"
    )


def test_the_page_that_the_refusal_names_has_that_section() -> None:
    page, anchor = SECOND_STACK.split("#")
    assert f"\n## {anchor.replace('-', ' ').capitalize()}\n" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("running", ["1.4.1", "1.3.1", "1.5.1", "a chart of one's own"])
def test_every_other_release_may_follow(running: str) -> None:
    assert _followed(running, "1.4.2") == ""


def test_a_platform_of_another_stack_is_that_stack_s_affair() -> None:
    existing = {"platform": {"kind": "existing", "version": "1.4.2"}}
    before = Running(release={"version": "1.2.1"})
    assert _said(before, disagg_b200_settings() | existing) == ""


ADDRESS = "s3://models/gpt-oss-120b"
FROM_A_BUCKET = changed(eks_b200_settings(), {"model": {"source": {"kind": "s3", "address": ADDRESS}}})


def test_the_first_up_of_a_cluster_copies_nothing_from_a_bucket() -> None:
    assert _said(Running(), FROM_A_BUCKET) == (
        "Pulumi.dev.yaml: model.source.kind = 's3'\n"
        "  nothing gives service account default of a cluster that is yet to be made a role that reads "
        f"{ADDRESS}\n"
        "  try: a stack of layers: [infrastructure] first, then `aws eks create-pod-identity-association "
        "--cluster-name gpt-oss --namespace gpt-oss --service-account default --role-arn ROLE`, then this "
        "stack on it (docs/model-cache.md#a-bucket)"
    )


@pytest.mark.parametrize(
    ("settings", "is_made"),
    [
        pytest.param(FROM_A_BUCKET, True, id="a cluster that is there, with the role or not"),
        pytest.param(
            changed(FROM_A_BUCKET, phase("waiting"), ON_EACH_NODE), False, id="nodes that are yet to come"
        ),
        pytest.param(FROM_A_BUCKET | {"layers": ["infrastructure"]}, False, id="no serving layer"),
        pytest.param(eks_b200_settings(), False, id="the hub"),
    ],
)
def test_a_role_that_may_be_there_or_can_be_given_first_is_not_asked_for(
    settings: Settings, is_made: bool
) -> None:
    assert _said(state(settings) if is_made else Running(), settings) == ""
