"""What a text and the time of a first token are worth, judged without a frontend."""

import pytest

from hardware import KvPath, Standing
from hardware.kv_transport import KvTransportName
from hardware.source import DYNAMO_TRANSPORT_GUIDE
from operations.document import Verdict
from operations.smoke.first_token import KvHandover, judge_first_token, kv_handover
from operations.smoke.texts import channel_mark, looks_like_call, repeated_end
from tests.support.shipped_stacks import shipped_stack

BYTES_PER_TOKEN = 36_864
LATE = (
    "98.00 s for a prompt of 8,192 tokens; its 302 MB of KV cache take 0.006 s over rdma and 0.10 to 0.30 s "
    "over TCP; over 10 s NVIDIA's guide sees no RDMA: the signature of plain TCP"
)


@pytest.mark.parametrize(
    ("seconds", "transport", "gbit", "verdict", "said"),
    [
        pytest.param(98.0, "rdma", 400.0, Verdict.WRONG, LATE, id="late over RDMA has the signature of TCP"),
        pytest.param(10.1, "rdma", 400.0, Verdict.WRONG, "over 10 s", id="just late"),
        pytest.param(0.09, "rdma", 400.0, Verdict.GOOD, "TCP alone would take longer", id="before TCP could"),
        pytest.param(
            0.31, "mnnvl", 7_200.0, Verdict.GOOD, "one request does not rule TCP out", id="in between"
        ),
        # Over TCP that a person chose, the guide's 98 s are the limit.
        pytest.param(12.0, "tcp", None, Verdict.GOOD, "over tcp", id="slow over TCP"),
        pytest.param(99.0, "tcp", None, Verdict.WRONG, "slower than NVIDIA's guide", id="late over TCP"),
    ],
)
def test_a_first_token_is_held_against_what_its_transport_takes(
    seconds: float, transport: KvTransportName, gbit: float | None, verdict: Verdict, said: str
) -> None:
    found = judge_first_token(seconds, 8_192, _handover(transport, gbit))
    assert found.verdict is verdict
    assert said in found.found
    assert ("tcp/eth0" in found.fix) is (verdict is Verdict.WRONG)


def _handover(transport: KvTransportName, gbit: float | None) -> KvHandover:
    path = KvPath(transport, Standing.DOCUMENTED, "", DYNAMO_TRANSPORT_GUIDE, gbit, "")
    return KvHandover(path, BYTES_PER_TOKEN, 7_680)


def test_tokens_that_nobody_counted_are_taken_from_the_prompt() -> None:
    found = judge_first_token(0.2, None, _handover("tcp", 200.0))
    assert "a prompt of 7,680 tokens; its 283 MB of KV cache take 0.01 to 0.45 s over tcp" in found.found


@pytest.mark.parametrize("name", ["disagg-gb200-two-trays", "dev"])
def test_the_prompt_of_a_stack_is_nearly_as_long_as_explain_computes_with_and_fits(name: str) -> None:
    stack = shipped_stack(name)
    found = kv_handover(stack)
    recipe = stack.serving.placed.recipe
    assert found is not None
    assert found.bytes_per_token == recipe.kv_bytes_per_token == BYTES_PER_TOKEN
    assert 0.9 * recipe.traffic.input_tokens < found.prompt_words < recipe.longest_prompt - 500


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("The analysis of the assistant is final.", ""),
        ("analysisWe look.assistantfinalReady.", "analysis…assistantfinal"),
        ("analysis: all is well, said the assistant finally", ""),
        ("<|start|>assistant<|channel|>final<|message|>Ready.", "<|start|>"),
        ("Ready.<|return|>", "<|return|>"),
        ("a <|tag|> of another kind", ""),
    ],
)
def test_a_mark_of_a_channel_is_told_from_what_a_person_writes(text: str, mark: str) -> None:
    assert channel_mark(text) == mark


@pytest.mark.parametrize(
    ("text", "is_call"),
    [
        ("I would call the function check_disk to see.", False),
        ("check_disk tells whether there is room.", False),
        ("check_disk()", True),
        ('{"name":"check_disk","arguments":{}}', True),
        ("to=functions.check_disk", True),
    ],
)
def test_a_call_is_told_from_talk_about_it(text: str, is_call: bool) -> None:
    assert looks_like_call(text, "check_disk") == is_call


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("", ""),
        ("it is " + "very " * 9 + "good", ""),
        ("it is" + " very" * 10, "very"),
        ("it is" + " so, so" * 12 + "\n", "so, so"),
        ("| a | b |\n" + "-" * 60, ""),
    ],
)
def test_only_an_end_of_ten_times_the_same_is_a_repetition(text: str, unit: str) -> None:
    assert repeated_end(text) == unit
