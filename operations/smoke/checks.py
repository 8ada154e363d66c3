"""What is asked after registration, what each answer is worth, and what each question depends on.

The requests are those that NVIDIA's gpt-oss guides print, and shorter where an answer proves the same
(docs.nvidia.com/dynamo: backends/tensorrtllm gpt-oss, recipes/gpt-oss-120b).
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engines.release import LOST_TOOL_CALLS, LOST_TOOL_CALLS_ACTION, loses_tool_calls
from operations.document import Verdict
from operations.smoke.client import Answer, Frontend
from operations.smoke.first_token import judge_first_token, judge_silence, prompt_words
from operations.smoke.protocol import (
    Choice,
    Chunk,
    Completion,
    ResponsesAnswer,
    ToolCall,
    quoted,
    read,
    read_stream,
)
from operations.smoke.registration import Target
from operations.smoke.results import Judgement, Result, WrongAnswer, good, wrong
from operations.smoke.texts import (
    REASONING_PARSER,
    STOPPED,
    TOOL_PARSER,
    channel_mark,
    looks_like_call,
    repeated_end,
    spoiled,
    unparsed,
)
from recipes.placed import PlacedRecipe

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
TOOL = "get_system_health"
_TOOL_SCHEMA = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Returns the current health status of the LLM runtime. Use it before critical "
        "operations to verify that the service is live.",
        "parameters": {"type": "object", "properties": {}},
    },
}
_TOOL_RESULT = '{"status": "ok", "uptime_seconds": 372045}'
_READINESS = "Write a one-sentence readiness check."
_SYSTEMS = "Hey, quick check: is everything up and running?"
# It cannot be answered without some thought, so that no answer lacks reasoning by rights.
_QUESTION = "Which is larger, 9.11 or 9.9? Say why in one sentence."
_TOKENS = 300
_STREAMED_TOKENS = 64
_FIRST_TOKENS = 16
"""gpt-oss begins with tokens that the parsers take away, <|channel|>analysis<|message|> (OpenAI's harmony
format); only what follows is text."""
# Each is one token.
_FILLER = ("one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom the checks ask, and what is known of it."""

    target: Target
    frontend: Frontend
    is_mock: bool
    is_dynamo: bool
    """Whether a frontend of Dynamo answers, or an engine's own server."""

    def chat(self, *messages: Mapping[str, Any], effort: str = "low", **fields: Any) -> Choice:
        """Return what the model says to these messages; raises WrongAnswer."""
        answer = self.asked(messages, effort=effort, max_tokens=_TOKENS, stream=False, **fields)
        return read(answer, Completion, "a chat completion").choices[0]

    def asked(self, messages: Sequence[Mapping[str, Any]], *, effort: str = "", **fields: Any) -> Answer:
        """Return the answer to a chat request; raises WrongAnswer where there is none.

        TensorRT-LLM's own server refuses fields that it does not have (extra="forbid" in tensorrt_llm/serve/
        openai_protocol.py, NVIDIA/TensorRT-LLM 54cf7be and 0076e93): it takes OpenAI's name.
        """
        thought: dict[str, Any] = {"reasoning_effort": effort} if effort else {}
        if thought and self.is_dynamo:
            thought = {"chat_template_args": thought}
        body = {"model": self.target.model, "messages": [*messages], **thought, **fields}
        return self.frontend.ask(CHAT, body)


def _chat(subject: Subject) -> Judgement:
    choice = subject.chat(_user(_READINESS))
    return spoiled(choice) or good(quoted(choice.message.content or ""))


def _stream(subject: Subject) -> Judgement:
    """Whether a stream comes in pieces, and to its end."""
    answer = subject.asked([_user(_READINESS)], effort="low", max_tokens=_STREAMED_TOKENS, stream=True)
    chunks = read_stream(answer)
    texts = [chunk.text for _, chunk in chunks if chunk.text]
    ends = [each.finish_reason for _, chunk in chunks for each in chunk.choices if each.finish_reason]
    if found := unparsed("".join(texts)):
        return found
    seconds, _ = _first_text(chunks)
    if not ends or ends[-1] not in STOPPED:
        return wrong(f"the stream ends without a finish_reason after {len(texts)} pieces of text")
    if len(texts) == 1:
        return wrong("the whole answer in one event: something collects the stream on its way")
    return good(f"{len(texts)} pieces, the first after {seconds:.2f} s")


def _first_token(subject: Subject) -> Judgement:
    """Whether the first token of a long prompt comes in time; the answer itself hardly counts."""
    target = subject.target
    path, placed = target.kv_path, target.placed
    if path is None or placed is None:
        from_afar = "an address does not say how the KV cache travels; a stack's cluster does"
        within = "aggregated: the KV cache never leaves its worker"
        return Judgement(Verdict.NOT_APPLICABLE, within if placed and not target.url else from_afar)
    words = prompt_words(placed.recipe)
    prompt = " ".join(_FILLER[index % len(_FILLER)] for index in range(words))
    counted = {"stream": True, "stream_options": {"include_usage": True}}
    try:
        answer = subject.asked([_user(prompt)], max_tokens=_FIRST_TOKENS, **counted)
    except WrongAnswer as error:
        return judge_silence(str(error), path, placed.recipe)
    seconds, prompt_tokens = _first_text(read_stream(answer))
    if subject.is_mock:
        return Judgement(Verdict.MOCK, f"hands over no KV cache, so its {seconds:.2f} s say nothing")
    return judge_first_token(seconds, prompt_tokens, path, placed.recipe)


def _first_text(chunks: Sequence[tuple[float, Chunk]]) -> tuple[float, int | None]:
    """The seconds until the first text, and the prompt's tokens if they were counted; raises WrongAnswer."""
    seconds = next((seconds for seconds, chunk in chunks if chunk.text), None)
    if seconds is None:
        raise WrongAnswer(wrong(f"{len(chunks)} events and no text in any of them"))
    counted = next((chunk.prompt_tokens for _, chunk in reversed(chunks) if chunk.prompt_tokens), None)
    return seconds, counted


def _responses(subject: Subject) -> Judgement:
    body = {
        "model": subject.target.model,
        "input": _READINESS,
        "reasoning": {"effort": "low"},
        "max_output_tokens": _TOKENS,
        "stream": False,
    }
    output = read(subject.frontend.ask(RESPONSES, body), ResponsesAnswer, "a response").output
    text = "".join(
        part.text or "" for item in output if item.type == "message" for part in item.content or ()
    )
    if found := unparsed(text):
        return found
    if not text.strip():
        kinds = ", ".join(item.type for item in output) or "nothing"
        return wrong(f"no text in it; the output holds {kinds}")
    return good(quoted(text))


def _tool_call(subject: Subject) -> Judgement:
    """Whether the tool is called, and its result used."""
    tools, question = [_TOOL_SCHEMA], _user(_SYSTEMS)
    lost_calls = _lost_calls(subject.target.placed) if subject.is_dynamo else ""
    call = _called(subject.chat(question, tools=tools), lost_calls)
    function = {"name": call.name, "arguments": call.arguments}
    choice = subject.chat(
        question,
        {"role": "assistant", "tool_calls": [{"id": call.id, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call.id, "content": _TOOL_RESULT},
        tools=tools,
    )
    if choice.message.tool_calls:
        return wrong("it calls the tool again instead of using the result", needs_model=True)
    if found := spoiled(choice):
        return wrong(f"after the tool's result: {found.found}", found.fix)
    return good(f"calls {TOOL}, then answers {quoted(choice.message.content or '')}")


def _lost_calls(placed: PlacedRecipe | None) -> str:
    """Why a call of a tool may be lost; empty where the release is none that loses any."""
    if placed is None:
        # An address does not say of which release it is.
        return f"with Dynamo 1.2 or older {LOST_TOOL_CALLS}: {LOST_TOOL_CALLS_ACTION}"
    version = placed.recipe.runtime.version
    if not loses_tool_calls(version, placed.recipe.model.shape.name):
        return ""
    return f"Dynamo {version}: {LOST_TOOL_CALLS}: {LOST_TOOL_CALLS_ACTION}"


def _called(choice: Choice, lost_calls: str) -> ToolCall:
    """The call of an answer; raises WrongAnswer with what is there instead, and why a release lost it."""
    message = choice.message
    if message.tool_calls:
        return _checked(message.tool_calls[0], choice.finish_reason)
    said = f"{message.content or ''}{message.reasoning_content or ''}"
    # In its reasoning a model may well speak of the tool.
    if channel_mark(said) or looks_like_call(message.content or "", TOOL):
        found = f"no tool_calls, and the content holds the call unparsed: {quoted(said)}"
        raise WrongAnswer(wrong(found, f"{TOOL_PARSER} on every worker"))
    # A call that was dropped leaves nothing, or what stood beside it.
    cause = f"{lost_calls}; else " if lost_calls and choice.finish_reason == "stop" else ""
    if finding := spoiled(choice):
        raise WrongAnswer(replace(finding, fix=f"{cause}{finding.fix}"))
    found = f"no tool_calls (finish_reason {choice.finish_reason}); it says {quoted(said)}"
    again = "run it again: a model may answer by itself; if it never calls"
    raise WrongAnswer(wrong(found, f"{cause}{again}, {TOOL_PARSER} on every worker", needs_model=True))


def _checked(call: ToolCall, reason: str | None) -> ToolCall:
    if call.name != TOOL:
        raise WrongAnswer(wrong(f"it calls {quoted(call.name)}, and only {TOOL} was offered"))
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise WrongAnswer(wrong(f"the call's arguments are no JSON object: {quoted(call.arguments)}"))
    if reason != "tool_calls":
        raise WrongAnswer(wrong(f"a call with finish_reason {reason}, where clients look for tool_calls"))
    return call


def _reasoning(effort: str, subject: Subject) -> Judgement:
    """Whether reasoning comes apart from the answer; with high effort and without top_p 1 it may not end."""
    choice = subject.chat(_user(_QUESTION), effort=effort, **({"top_p": 1} if effort == "high" else {}))
    content, thought = choice.message.content or "", choice.message.reasoning_content or ""
    if repeated := repeated_end(thought + content):
        return wrong(f"ends in {quoted(repeated)} ten times over: it does not stop by itself")
    # With high effort all tokens may go into the reasoning, and rightly so.
    is_cut = effort == "high" and thought and choice.finish_reason == "length"
    if not is_cut and (found := spoiled(choice)):
        return found
    if not thought.strip():
        found = f"no reasoning_content; it says {quoted(content)}"
        return wrong(found, f"{REASONING_PARSER} on every worker", needs_model=True)
    rest = "no token left for an answer" if not content else quoted(content)
    return good(f"{len(thought.split())} words of reasoning, then {rest}")


def _user(text: str) -> Mapping[str, Any]:
    return {"role": "user", "content": text}


@dataclass(frozen=True, slots=True)
class Check:
    """One question."""

    name: str
    asked: str
    needs: tuple[str, ...]
    ask: Callable[[Subject], Judgement]


CHECKS = (
    Check("chat", "a sentence of chat", ("workers", "model"), _chat),
    Check("stream", "the same, streamed", ("chat",), _stream),
    Check("first-token", "the first token of a long prompt", ("stream",), _first_token),
    Check("responses", "a sentence by /v1/responses", ("chat",), _responses),
    Check("tool-call", f"{TOOL}, there and back", ("chat",), _tool_call),
    Check("reasoning-low", "reasoning effort low", ("chat",), partial(_reasoning, "low")),
    Check("reasoning-high", "reasoning effort high, top_p 1", ("chat",), partial(_reasoning, "high")),
)
_LETS_GO_ON = frozenset({Verdict.GOOD, Verdict.MOCK, Verdict.UNKNOWN})
_UNASKED = frozenset({Verdict.NOT_RUN, Verdict.NOT_APPLICABLE})


def run_checks(
    subject: Subject, before: Sequence[Result], checks: Sequence[Check] = CHECKS
) -> Iterator[Result]:
    """Ask one question after the other, each only where what it needs has not failed."""
    verdicts = {result.name: result.verdict for result in before}
    for check in checks:
        failed = [name for name in check.needs if verdicts[name] not in _LETS_GO_ON]
        start = time.monotonic()
        needs = Judgement(Verdict.NOT_RUN, f"needs {' and '.join(failed)}")
        finding = needs if failed else _found(check, subject)
        verdicts[check.name] = finding.verdict
        seconds = None if finding.verdict in _UNASKED else time.monotonic() - start
        yield Result.of(check.name, check.asked, finding, seconds)


def _found(check: Check, subject: Subject) -> Judgement:
    try:
        finding = check.ask(subject)
    except WrongAnswer as error:
        finding = error.judgement
    if subject.is_mock and finding.verdict is Verdict.WRONG and finding.needs_model:
        return Judgement(Verdict.MOCK, f"cannot answer this: {finding.found}")
    return finding
