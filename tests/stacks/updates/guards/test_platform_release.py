"""A release of the platform that leaves out a minor is refused before anything changes."""

from dataclasses import replace

import pytest

from stacks.plan.platform import OwnPlatform
from stacks.updates.deployed import Deployed, DeployedRelease
from stacks.updates.guards.refused_changes import SECOND_STACK, left_out_problems
from tests.cli.command import ROOT
from tests.support.dev_settings import resolved


def _said(running: str | None, wanted: str) -> str:
    stack = resolved()
    assert isinstance(stack.platform, OwnPlatform)
    platform = replace(stack.platform, chart=replace(stack.platform.chart, version=wanted))
    release = DeployedRelease(running, {}) if running else None
    problems = left_out_problems(Deployed(release=release), replace(stack, platform=platform))
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)


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
    assert _said(running, wanted) == (
        f"Pulumi.dev.yaml: platform.version = '{wanted}'\n"
        f"  {running} runs, and Dynamo supports no step that leaves out a minor release, as to {wanted}; "
        f"nothing was created or changed\n{allowed}"
        f"  try: a second stack with {wanted} on another cluster, then the clients, then the end of this one "
        "(docs/upgrade.md#a-second-stack)"
    )


def test_the_page_that_the_refusal_names_has_that_section() -> None:
    page, anchor = SECOND_STACK.split("#")
    assert f"\n## {anchor.replace('-', ' ').capitalize()}\n" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("running", "wanted"),
    [
        ("1.4.1", "1.4.2"),
        ("1.3.1", "1.4.2"),
        ("1.5.1", "1.4.2"),
        # Nobody can say what comes after a chart of one's own.
        ("ours", "1.4.2"),
        (None, "1.4.2"),
    ],
)
def test_every_other_release_may_follow(running: str | None, wanted: str) -> None:
    assert _said(running, wanted) == ""


def test_a_platform_of_another_stack_is_that_stack_s_affair() -> None:
    stack = replace(resolved(), platform=None)
    assert left_out_problems(Deployed(release=DeployedRelease("1.2.1", {})), stack) == ()
