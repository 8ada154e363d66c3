"""What is asked after registration, what each question depends on, and the results of all of them."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from pydantic import Field, computed_field

from operations.document import Document, Verdict
from operations.smoke import bodies
from operations.smoke.client import Answer, Frontend
from operations.smoke.finding import Finding, WrongAnswer
from operations.smoke.first_token import KvHandover, judge_first_token, judge_silence
from operations.smoke.graph_pods import GraphPods
from operations.smoke.judgements import (
    called,
    first_token,
    judge_chat,
    judge_reasoning,
    judge_responses,
    judge_stream,
    judge_tool_result,
)
from operations.smoke.registration import Role

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
_LETS_GO_ON = frozenset({Verdict.GOOD, Verdict.MOCK, Verdict.UNKNOWN})
_UNASKED = frozenset({Verdict.NOT_RUN, Verdict.NOT_APPLICABLE})


class Result(Document):
    """One thing that was asked, and how it ended."""

    name: str
    asked: str
    seconds: float | None = None
    """Null where nothing was sent."""
    verdict: Verdict
    """How it ended."""
    found: str
    """What was answered, or is wrong with the answer."""
    fix: str
    """What helps; empty where nothing is wrong, or the answer says it all."""

    @classmethod
    def of(cls, name: str, asked: str, finding: Finding, seconds: float | None = None) -> Self:
        """Return the result of a check that took so many seconds."""
        return cls(
            name=name,
            asked=asked,
            seconds=None if seconds is None else round(seconds, 3),
            verdict=finding.verdict,
            found=finding.found,
            fix=finding.fix,
        )


class SmokeReport(Document):
    """What a running deployment answers."""

    target: str = Field(exclude=True)
    """As in "stack dev", or the URL."""
    stack: str | None
    """Null where an address was asked."""
    url: str | None
    """Null where a stack was asked."""
    model: str
    is_mock: bool | None = Field(serialization_alias="mockEngine")
    """Whether a mock engine serves; null where nobody can tell."""
    seconds: float
    results: tuple[Result, ...] = Field(serialization_alias="checks")

    @computed_field(alias="failed")
    @property
    def has_failed(self) -> bool:
        """Whether anything is wrong, or was not asked: a question that nobody asked is no good answer."""
        return any(each.verdict in {Verdict.WRONG, Verdict.NOT_RUN} for each in self.results)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Return a row of the table for each check."""
        for result in self.results:
            seconds = "" if result.seconds is None else f"{result.seconds:.2f}"
            yield result.verdict.words, result.asked, seconds, result.found

    def fixes(self) -> Iterator[str]:
        """Return what to do about each check that failed."""
        return (f"fix {result.asked}: {result.fix}" for result in self.results if result.fix)

    def summary(self) -> str:
        """Return the answer in one line."""
        number = Counter(result.verdict for result in self.results)
        counts = ", ".join(f"{number[each]} {each.words}" for each in Verdict if number[each])
        answers = "answers, from a mock engine" if self.is_mock else "answers"
        said = "does not answer as it should" if self.has_failed else answers
        return f"{self.target}: {said}: {counts} of {len(self.results)} checks in {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class Target:
    """What is expected of the deployment, and how to look closer."""

    name: str
    stack: str | None
    url: str | None
    model: str
    roles: tuple[Role, ...]
    kv: KvHandover | None
    no_kv: str
    """Why there is no KV transport to judge."""
    pods: GraphPods | None
    """None where only an address is known."""
    lost_calls: str
    """Why a call of a tool may be lost; empty where the release is none that loses any."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom the checks ask, and what is known of it."""

    target: Target
    frontend: Frontend
    is_mock: bool
    is_dynamo: bool
    """Whether a frontend of Dynamo answers, or an engine's own server."""


@dataclass(frozen=True, slots=True)
class Check:
    """One question."""

    name: str
    asked: str
    needs: tuple[str, ...]
    ask: Callable[[Subject], Finding]


def _chat(subject: Subject) -> Finding:
    return judge_chat(_asked(subject, bodies.chat(subject.target.model)))


def _stream(subject: Subject) -> Finding:
    return judge_stream(_streamed(subject, bodies.streamed_chat(subject.target.model)))


def _first_token(subject: Subject) -> Finding:
    kv = subject.target.kv
    if kv is None:
        return Finding(Verdict.NOT_APPLICABLE, subject.target.no_kv)
    try:
        answer = _streamed(subject, bodies.long_prompt(subject.target.model, kv.prompt_words))
    except WrongAnswer as error:
        return judge_silence(str(error), kv)
    seconds, prompt_tokens = first_token(answer)
    if subject.is_mock:
        return Finding(Verdict.MOCK, f"hands over no KV cache, so its {seconds:.2f} s say nothing")
    return judge_first_token(seconds, prompt_tokens, kv)


def _responses(subject: Subject) -> Finding:
    return judge_responses(subject.frontend.post(RESPONSES, bodies.responses(subject.target.model)))


def _tool_call(subject: Subject) -> Finding:
    model = subject.target.model
    lost_calls = subject.target.lost_calls if subject.is_dynamo else ""
    call = called(_asked(subject, bodies.tool_call(model)), lost_calls)
    second = bodies.tool_result(model, {"type": "function", **call.model_dump()})
    return judge_tool_result(_asked(subject, second))


def _reasoning(effort: str, subject: Subject) -> Finding:
    return judge_reasoning(_asked(subject, bodies.reasoning(subject.target.model, effort)), effort)


def _asked(subject: Subject, body: bodies.Body) -> Answer:
    return subject.frontend.post(CHAT, _worded(subject, body))


def _streamed(subject: Subject, body: bodies.Body) -> Answer:
    return subject.frontend.stream(CHAT, _worded(subject, body))


def _worded(subject: Subject, body: bodies.Body) -> bodies.Body:
    return body if subject.is_dynamo else bodies.for_engine_server(body)


CHECKS = (
    Check("chat", "a sentence of chat", ("workers", "model"), _chat),
    Check("stream", "the same, streamed", ("chat",), _stream),
    Check("first-token", "the first token of a long prompt", ("stream",), _first_token),
    Check("responses", "a sentence by /v1/responses", ("chat",), _responses),
    Check("tool-call", f"{bodies.TOOL}, there and back", ("chat",), _tool_call),
    Check("reasoning-low", "reasoning effort low", ("chat",), partial(_reasoning, "low")),
    Check("reasoning-high", "reasoning effort high, top_p 1", ("chat",), partial(_reasoning, "high")),
)


def run_checks(
    subject: Subject, before: Sequence[Result], checks: Sequence[Check] = CHECKS
) -> Iterator[Result]:
    """Ask one question after the other, each only where what it needs has not failed."""
    verdicts = {result.name: result.verdict for result in before}
    for check in checks:
        result = _ended(check, subject, [name for name in check.needs if verdicts[name] not in _LETS_GO_ON])
        verdicts[check.name] = result.verdict
        yield result


def _ended(check: Check, subject: Subject, failed: Sequence[str]) -> Result:
    if failed:
        return Result.of(check.name, check.asked, Finding(Verdict.NOT_RUN, f"needs {' and '.join(failed)}"))
    start = time.monotonic()
    try:
        finding = check.ask(subject)
    except WrongAnswer as error:
        finding = error.finding
    seconds = time.monotonic() - start
    if finding.verdict in _UNASKED:
        return Result.of(check.name, check.asked, finding)
    if subject.is_mock and finding.verdict is Verdict.WRONG and finding.needs_model:
        finding = Finding(Verdict.MOCK, f"cannot answer this: {finding.found}")
    return Result.of(check.name, check.asked, finding, seconds)
