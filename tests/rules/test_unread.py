"""What cannot be read is undecided for every rule that reads it: a silent rule would look like a pass."""

from pathlib import Path

import pytest

from tests.rules.bases import BASES
from tests.rules.case import ALL_RULES, Case, judge_case, undecided
from tests.rules.cases import CASES
from tests.rules.judging import DECODE, PREFILL, Found, found, messages
from tests.rules.published_findings import unread_service, unread_words, unread_worker

GPUS, HOP, PAIR = "gpus-match-parallelism", "kv-hop-has-a-transport", f"{PREFILL}, {DECODE}"
_OF_A_WAY = ("placement", "privileges", "proven", "settings")
_READ_AS_WELL: dict[tuple[str, str], frozenset[Found]] = {
    (GPUS, "a start script with unknown further words"): unread_words(DECODE),
    (GPUS, "an amount that is no number"): unread_worker(DECODE),
    (GPUS, "a service that is no mapping"): unread_service("Broken"),
    (GPUS, "two engines in one container"): undecided("prefill-and-decode-agree", PAIR),
    (HOP, "an amount that is no number"): frozenset[Found]().union(
        *(undecided(f"kv-transport-{rule}", "gpt-oss-efa") for rule in _OF_A_WAY)
    ),
    ("cache-shared-by-nodes", "two claims of one name"): undecided("cache-holds-the-model", "model-cache"),
    ("one-compute-domain", "a number that is none"): undecided(
        "one-compute-domain", "gpt-oss-disagg-compute-domain"
    ),
}


@pytest.mark.parametrize(("rule", "name"), _READ_AS_WELL, ids=str)
def test_what_cannot_be_read_is_undecided_for_every_rule_that_reads_it(
    rule: str, name: str, tmp_path: Path
) -> None:
    (case,) = (each for each in CASES if (each.rule, each.name) == (rule, name))
    assert isinstance(case, Case)
    report = judge_case(case, tmp_path, BASES[case.base], ALL_RULES)
    assert _READ_AS_WELL[rule, name] <= found(report), messages(report)
