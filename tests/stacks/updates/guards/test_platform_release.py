"""A release of the platform that leaves out one on the way is refused before anything changes."""

from dataclasses import replace

import pytest

from stacks.plan.platform import OwnPlatform
from stacks.plan.stack_plan import StackPlan
from stacks.updates.deployed import Deployed, DeployedRelease
from stacks.updates.guards.platform_release import left_out_problems
from tests.support.dev_settings import resolved


def _with_platform(version: str) -> StackPlan:
    stack = resolved()
    assert isinstance(stack.platform, OwnPlatform)
    release = stack.platform.release
    chart = replace(release.chart, version=version)
    return replace(stack, platform=replace(stack.platform, release=replace(release, chart=chart)))


def _said(running: str | None, wanted: str) -> str:
    release = DeployedRelease(running, {}) if running else None
    problems = left_out_problems(Deployed(release=release), _with_platform(wanted))
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in problems)


def test_the_move_of_stored_graphs_is_not_combined_with_another_step() -> None:
    assert _said("1.2.1", "1.6.2") == (
        "Pulumi.dev.yaml: platform.version = '1.6.2'\n"
        "  1.2.1 runs, and between 1.4.2 and 1.6.2 the API server's stored version of graphs moves; "
        "nothing was created or changed\n"
        '  allowed: "1.4.2"\n'
        '  try: "1.4.2" and `pulumi up`, then "1.6.2" (docs/upgrade.md)'
    )


@pytest.mark.parametrize(
    ("running", "wanted"),
    [
        ("1.2.1", "1.2.1"),
        ("1.2.1", "1.4.2"),
        ("1.4.2", "1.6.2"),
        # A failed upgrade is taken back.
        ("1.6.2", "1.2.1"),
        # Another version of this project may have known it.
        ("1.3.1", "1.6.2"),
        (None, "1.6.2"),
    ],
)
def test_every_other_release_may_follow(running: str | None, wanted: str) -> None:
    assert _said(running, wanted) == ""


def test_a_platform_of_another_stack_is_that_stack_s_affair() -> None:
    stack = replace(resolved(), platform=None)
    assert left_out_problems(Deployed(release=DeployedRelease("1.2.1", {})), stack) == ()
