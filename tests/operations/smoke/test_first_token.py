import pytest

from hardware import KvPath, Standing
from hardware.kv_transport import KvTransportName
from hardware.source import DYNAMO_TRANSPORT_GUIDE
from operations.document import Verdict
from operations.smoke import bodies
from operations.smoke.first_token import KvHandover, judge_first_token, kv_handover
from tests.support.shipped_stacks import shipped_stack

BYTES_PER_TOKEN = 36_864


def _handover(transport: KvTransportName, gbit: float | None) -> KvHandover:
    path = KvPath(transport, Standing.DOCUMENTED, "", DYNAMO_TRANSPORT_GUIDE, gbit, "")
    return KvHandover(path, BYTES_PER_TOKEN, 7_680)


@pytest.mark.parametrize("seconds", [10.1, 98.0])
def test_a_late_first_token_over_rdma_has_the_signature_of_tcp(seconds: float) -> None:
    found = judge_first_token(seconds, 8_192, _handover("rdma", 400.0))
    assert found.verdict is Verdict.WRONG
    assert found.found == (
        f"{seconds:.2f} s for a prompt of 8,192 tokens; its 302 MB of KV cache take 0.006 s over rdma and "
        "0.10 to 0.30 s over TCP; over 10 s NVIDIA's guide sees no RDMA: the signature of plain TCP"
    )
    assert "tcp/eth0" in found.fix


def test_a_first_token_that_comes_before_tcp_could_bring_it_rules_tcp_out() -> None:
    found = judge_first_token(0.09, 8_192, _handover("rdma", 400.0))
    assert found.verdict is Verdict.GOOD
    assert found.found.endswith("TCP alone would take longer")


def test_a_first_token_in_between_is_good_and_proves_nothing() -> None:
    found = judge_first_token(0.31, 8_192, _handover("mnnvl", 7_200.0))
    assert found.verdict is Verdict.GOOD
    assert found.found.endswith("one request does not rule TCP out")


@pytest.mark.parametrize(("seconds", "verdict"), [(12.0, Verdict.GOOD), (99.0, Verdict.WRONG)])
def test_over_tcp_that_a_person_chose_the_guides_98_seconds_are_the_limit(
    seconds: float, verdict: Verdict
) -> None:
    assert judge_first_token(seconds, 8_192, _handover("tcp", None)).verdict is verdict


def test_tokens_that_nobody_counted_are_taken_from_the_prompt() -> None:
    found = judge_first_token(0.2, None, _handover("tcp", 200.0))
    assert "a prompt of 7,680 tokens; its 283 MB of KV cache take 0.01 to 0.45 s over tcp" in found.found


@pytest.mark.parametrize("name", ["disagg-b200-tcp", "disagg-gb200-two-trays", "dev"])
def test_the_prompt_of_a_stack_is_nearly_as_long_as_explain_computes_with_and_fits(name: str) -> None:
    stack = shipped_stack(name)
    found = kv_handover(stack)
    recipe = stack.serving.placed.recipe
    assert found is not None
    assert found.bytes_per_token == recipe.kv_bytes_per_token == BYTES_PER_TOKEN
    assert 0.9 * recipe.traffic.input_tokens < found.prompt_words < recipe.longest_prompt - 500


def test_an_aggregated_stack_hands_no_kv_cache_over() -> None:
    assert kv_handover(shipped_stack("agg-gb200")) is None


def test_gpt_oss_has_said_a_word_before_its_answer_ends() -> None:
    # What its answers begin with, a token each, and no parser shows (OpenAI's harmony format).
    marks = ("<|channel|>", "analysis", "<|message|>")
    assert bodies.long_prompt("openai/gpt-oss-120b", 8)["max_tokens"] > len(marks)
