"""What the guides list is all that there is, in its order."""

import re

from cli.exit_codes import CHANGED, NOT_COMPARED, STOPPED
from comparison.changes import Effect
from comparison.markdown import LARGEST
from comparison.stack_comparison import ComparisonVerdict
from hardware import FIRST_TOKEN_SECONDS_WITHOUT_RDMA, TCP_FIRST_TOKEN_SECONDS
from operations.document import Verdict
from operations.smoke.checks import CHECKS
from operations.smoke.graph_pods import ENGINE_ANNOTATION, MOCK_ENGINE
from tests.cli.command import Command, squeezed
from tests.compose.projects import SETTINGS, project
from tests.docs.guide import table, text_of, words

COMPOSE, PULL_REQUESTS, SMOKE = "docs/compose.md", "docs/pull-requests.md", "docs/smoke.md"


def test_the_compose_guide_lists_services_choices_and_names() -> None:
    projects = [project(make()) for make in SETTINGS.values()]
    services = {name for each in projects for name in each[0]["services"]} - {"worker-2"}
    assert services == {*words("".join(table(COMPOSE, "| service |")))}
    names = {
        name
        for each in projects
        for name in re.findall(r"^#?([A-Z_]+)=", each[1][".env.example"], re.MULTILINE)
    }
    assert names == {word for cell in table(COMPOSE, "| name |") for word in words(cell)}


def test_the_pull_request_guide_lists_effects_exit_codes_verdicts_and_the_limit() -> None:
    text = text_of(PULL_REQUESTS)
    effects = [f"`{effect.value}`" for effect in Effect if effect is not Effect.IN_PLACE]
    assert table(PULL_REQUESTS, "## What the comment says") == effects
    codes = [str(code) for code in (0, CHANGED, STOPPED, NOT_COMPARED)]
    assert table(PULL_REQUESTS, "## Exit codes") == codes
    said = text.partition("## JSON")[2].partition("the worst stack: ")[2]
    assert words(said) == [verdict.value for verdict in ComparisonVerdict]
    assert f"at most {LARGEST:,} bytes" in text


def test_the_smoke_guide_lists_checks_verdicts_limits_and_defaults(command: Command) -> None:
    text = squeezed(text_of(SMOKE))
    checks = ["frontend", "workers", "model", *(check.name for check in CHECKS)]
    assert words("".join(table(SMOKE, "## What is asked"))) == checks
    verdicts = words(text.partition("A verdict is ")[2].partition(". ")[0])
    assert {*verdicts} == {verdict.value for verdict in Verdict}
    assert f"Over {FIRST_TOKEN_SECONDS_WITHOUT_RDMA:g} s NVIDIA's guide sees no RDMA" in text
    assert f"the {TCP_FIRST_TOKEN_SECONDS:g} s that the guide gives for TCP" in text
    assert f"`{ENGINE_ANNOTATION}: {MOCK_ENGINE}`" in text
    printed = squeezed(command("smoke", "--help").out)
    for option, default in re.findall(r"`(--[a-z]+)` \((\d+) s\)", text_of(SMOKE)):
        assert option in printed
        assert f"[default: {default}.0]" in printed
