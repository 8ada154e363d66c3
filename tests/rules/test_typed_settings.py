"""Which settings a finding names, held against what goes when a setting is taken back."""

import copy
from typing import Any

import pytest

from rules.catalogue import rules_on, run_rules
from rules.model import Finding
from tests.rules.judging import TODAY, in_program, judge, mutated
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_settings

Typed = dict[str, Any]
DISAGG = "disagg-b200-tcp"


def judged(name: str, changes: Typed) -> dict[tuple[str, str], Finding]:
    """The findings of a stack with these things typed below `serving`, by rule and subject."""
    settings = disagg_b200_settings() if name == DISAGG else served_settings(name)
    serving = {**settings["serving"], **copy.deepcopy(changes)}
    graph = recorded_stack(resolved({**settings, "serving": serving}))
    findings = run_rules(graph, rules_on(TODAY), today=TODAY).findings
    return {(each.rule.id, each.observation.subject): each for each in findings}


def typed(path: str, value: Any) -> Typed:
    """Settings below `serving` with one value at a dotted path."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


@pytest.mark.parametrize(
    ("stack", "path", "value"),
    [
        (DISAGG, "overrides.decode.tensor_parallel_size", 3),
        (DISAGG, "overrides.decode.max_batch_size", 7000),
        (DISAGG, "overrides.decode.enable_attention_dp", True),
        (DISAGG, "overrides.decode.kv_cache_config.enable_block_reuse", True),
        (DISAGG, "arguments.decode", ["--foo", "64"]),
        (DISAGG, "routerMode", "kv"),
        ("disagg-b200-8gpu", "overrides.decode.max_seq_len", 200_000),
        ("latency-b200", "overrides.worker.max_seq_len", 200_000),
        ("vllm-disagg-h100", "overrides.prefill.gpu_memory_utilization", 0.3),
    ],
)
def test_every_finding_that_goes_with_a_setting_names_that_setting_once(
    stack: str, path: str, value: Any
) -> None:
    setting, without = f"serving.{path}", judged(stack, {})
    caused = [each for key, each in judged(stack, typed(path, value)).items() if key not in without]
    assert caused
    for finding in caused:
        assert finding.settings == (setting,)
        assert finding.observation.message.count(setting) == 1
        assert "ConfigMap" not in finding.observation.message


def test_a_finding_that_was_there_before_a_setting_does_not_name_it() -> None:
    before = judged(DISAGG, {})
    after = judged(DISAGG, typed("overrides.decode.max_batch_size", 7000))
    assert before
    assert {key: after[key].settings for key in before} == {
        key: each.settings for key, each in before.items()
    }


@pytest.mark.parametrize("said", [None, "decode", ["decode"], [{"key": "serving.overrides.decode"}], [1]])
def test_what_another_program_calls_so_is_passed_over(said: Any) -> None:
    text = mutated(("tensor_parallel_size: 4", "tensor_parallel_size: 2"))
    told = judge(in_program(text, inputs={"typedSettings": said}))
    plain = judge(in_program(text))
    assert [each.observation.message for each in told.findings] == [
        each.observation.message for each in plain.findings
    ]
    assert not told.broken


def test_a_graph_without_a_stack_names_the_file_and_its_config_map() -> None:
    graph = in_program(mutated(("tensor_parallel_size: 4", "tensor_parallel_size: 2")))
    [message] = {
        each.observation.message
        for each in judge(graph).findings
        if "tensor parallelism 2" in each.observation.message
    }
    assert "decode.yaml of ConfigMap llm-config" in message
