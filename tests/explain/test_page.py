"""What the page says of a stack, beside its drawings."""

import dataclasses
import datetime as dt

import pytest

from explain.findings import ordered, state, summary, tone
from explain.page import to_html
from explain.short import short_sections
from rules.model import Finding, Report, Waiver
from rules.rule import EVERY_RELEASE, Rule, Severity, failed, undecided
from tests.explain.elements import parsed
from tests.explain.pages import DAY, KINDS, judged, page_of, shipped_html, shipped_page, shipped_plan
from tests.stacks.plan.layers.settings import layered
from tests.support.dev_settings import resolved
from tests.support.shipped_stacks import shipped_stack


def found(severity: Severity, *, waived: bool = False, decided: bool = True) -> Finding:
    """A finding of a rule on the first resource of a stack."""
    [resource, *_] = judged(shipped_plan("dev")).now
    rule = Rule(
        id="some-rule",
        module=__name__,
        title="",
        severity=severity,
        reason="why",
        source="where",
        lines=EVERY_RELEASE,
        fix="how",
        check=lambda _: (),
    )
    observation = (failed if decided else undecided)(resource, "decode", "what it saw")
    return Finding(rule, observation, Waiver("some-rule", "for now", dt.date(2027, 1, 1)) if waived else None)


@pytest.mark.parametrize("name", KINDS)
def test_every_shipped_stack_has_a_page_with_what_explain_says(name: str) -> None:
    text = parsed(shipped_html(name)).text
    page = shipped_page(name)
    assert page.stack == name
    for section in (*page.overview, *page.explanation.foundation, *page.explanation.sections):
        assert section.title in text
    # What is waited for is the verdict.
    screen = [
        each for each in short_sections(shipped_plan(name), DAY) if each.texts and each.title != "Waits"
    ]
    assert list(page.overview) == screen


def test_a_path_that_is_reported_failing_comes_before_the_window_that_is_waited_for() -> None:
    page = shipped_page("disagg-gb200-two-trays")
    assert page.tone == "warn"
    assert page.headline == "The KV cache path mnnvl is reported failing on this hardware"
    assert page.points == (
        "Nothing serves yet: pool gb200 has no node before its Capacity Block cr-0123456789abcdef0 opens at "
        "2027-12-01T11:30:00Z",
        "All workers fit: 5 GPUs on 2 nodes",
    )


def test_a_stack_whose_window_is_open_is_good() -> None:
    page = page_of(shipped_stack("disagg-b200-8gpu"))
    assert (page.tone, page.headline) == ("good", "All workers fit: 8 GPUs on 1 node")


def test_a_mandatory_finding_comes_before_everything() -> None:
    plan = shipped_plan("disagg-gb200-two-trays")
    report = Report((found(Severity.MANDATORY), found(Severity.ADVISORY)), (), ())
    page = dataclasses.replace(judged(plan), report=report).page()
    assert page.tone == "stop"
    assert page.headline == "`up` ends before it changes anything: 1 mandatory finding"
    assert [tone(finding) for finding in ordered(page.report)] == ["stop", "warn"]


def test_findings_that_do_not_count_say_why() -> None:
    report = Report((found(Severity.MANDATORY, waived=True), found(Severity.ADVISORY, decided=False)), (), ())
    assert [state(finding) for finding in ordered(report)] == [
        "advisory, undecided",
        "mandatory, waived until 2027-01-01: for now",
    ]
    assert summary(report, rules=2) == "Nothing stops `up`: 2 findings of 2 rules"


def test_a_broken_rule_leaves_the_stack_unchecked() -> None:
    rule = found(Severity.ADVISORY).rule
    report = Report((), {rule: ValueError("no")}, {})
    page = dataclasses.replace(judged(shipped_plan("dev")), report=report).page()
    assert page.headline == "Unchecked: 1 rule could not judge this stack"
    assert "some-rule: broken, so the stack counts as unchecked" in parsed(to_html(page)).text


@pytest.mark.parametrize("layer", ["infrastructure", "platform"])
def test_a_stack_that_another_one_serves_on_speaks_of_no_pods_and_no_memory(layer: str) -> None:
    page = page_of(resolved(layered(layer)))
    assert page.memory == ()
    assert page.headline == f"This stack owns {layer}; another one serves"
    text = parsed(to_html(page)).text
    assert "Memory of a GPU" not in text
    assert "Services of the graph" not in text
    assert ("Pool b200" in text) == (layer == "infrastructure")
