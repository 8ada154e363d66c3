"""Whether the frontend answers, knows the model and has a worker of each role; looked at until it has."""

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from operations.document import CheckResult, Verdict, good, unknown, wrong
from operations.smoke.client import Answer, Frontend
from operations.smoke.graph_pods import REFUSED
from operations.smoke.protocol import WANTS_KEY, Health, ModelList, Part, read
from operations.smoke.results import WrongAnswer

Role = Literal["prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""

_PREFILL = "prefill"
_GENERATE = "generate"
# Components whose endpoint is called generate too. What decodes has no fixed name: backend with dynamo.vllm,
# dynamo.sglang and dynamo.mocker, tensorrt_llm with dynamo.trtllm (PyPI package ai-dynamo 1.2.1, args.py).
_NOT_DECODING = re.compile(rf"{_PREFILL}|router|(\w+_)?encode")
_OK = 200
_ITSELF = good("the server is the worker")
_BEHIND_IT = unknown("a server without Dynamo lists no workers: an answer alone proves both roles")
_NEEDS_FRONTEND = CheckResult(verdict=Verdict.NOT_RUN, found="needs the frontend")
# ai-dynamo/dynamo#11178: every pod stays Ready.
_CARD = (
    f"`{REFUSED}` in the frontend's log says why: it reads the model's configuration "
    "and tokenizer itself, from the same cache"
)
_PAUSE_SECONDS = 1.0
_LONGEST_LISTING_SECONDS = 10.0

OTHER_NAME = "--served-model-name of the workers, or the name that was asked for"
"""What to mend where another model is served."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The judgements of one look."""

    frontend: CheckResult
    workers: CheckResult
    model: CheckResult
    absent: tuple[Role, ...] = ()
    """Roles without a worker."""
    is_dynamo: bool = True
    """Whether a frontend of Dynamo answers; a server of an engine takes other fields in a request."""

    @property
    def wrong(self) -> list[CheckResult]:
        """The judgements of what is wrong."""
        findings = (self.frontend, self.workers, self.model)
        return [each for each in findings if each.verdict is Verdict.WRONG]

    @property
    def is_over(self) -> bool:
        """Whether waiting is over: nothing is wrong, or what is wrong stays."""
        return not self.wrong or any(each.fix == WANTS_KEY for each in self.wrong)


def judge_listings(
    health: Answer | str, models: Answer | str, model: str, roles: Sequence[Role]
) -> Registration:
    """Return what both listings say of a model and of the roles that should serve it.

    A text in the place of an answer says why there is none.
    """
    listed = _listed(models, "/v1/models", ModelList, "a list of models")
    served = listed if isinstance(listed, CheckResult) else _model([each.id for each in listed.data], model)
    if isinstance(health, Answer) and (health.status, health.text.strip()) == (_OK, ""):
        # trtllm-serve's is empty; a frontend of Dynamo always answers with its listing.
        frontend = good("answers, and lists no workers: a server without Dynamo")
        workers = _ITSELF if tuple(roles) == ("worker",) else _BEHIND_IT
        return Registration(frontend, workers, served, is_dynamo=False)
    told = _listed(health, "/health", Health, "a frontend's health")
    if isinstance(told, Health):
        workers, absent = _workers(told, roles)
        return Registration(good(f"answers with {len(told.instances)} instances"), workers, served, absent)
    if isinstance(listed, ModelList):
        hidden = f"{told.found}: a gateway keeps it back, or it is no frontend"
        return Registration(good("lists models"), unknown(hidden), served)
    return Registration(told, _NEEDS_FRONTEND, _NEEDS_FRONTEND)


def listed_models(frontend: Frontend, seconds: float) -> tuple[str, ...]:
    """Return the models that a frontend lists; raises WrongAnswer."""
    answer = frontend.ask("/v1/models", seconds=seconds)
    return tuple(each.id for each in read(answer, ModelList, "a list of models").data)


def wait_until_registered(
    frontend: Frontend, model: str, roles: Sequence[Role], seconds: float, say: Callable[[str], None]
) -> Registration:
    """Return the last look: the first one in which nothing is wrong, or the one at the end of the time.

    `say` gets what is still missing, each time that it has changed.
    """
    end = time.monotonic() + seconds
    last = ""
    while True:
        found = judge_listings(_asked(frontend, "/health"), _asked(frontend, "/v1/models"), model, roles)
        left = max(end - time.monotonic(), 0)
        if found.is_over or not left:
            return found
        missing = "; ".join(each.found for each in found.wrong)
        if missing != last:
            say(f"waiting, at most {math.ceil(left)} s more: {missing}")
            last = missing
        time.sleep(min(_PAUSE_SECONDS, left))


def _listed(answer: Answer | str, path: str, form: type[Part], what: str) -> Part | CheckResult:
    if isinstance(answer, str):
        return wrong(f"GET {path}: {answer}")
    try:
        return read(answer, form, what)
    except WrongAnswer as error:
        return wrong(f"GET {path}: {error}", error.result.fix)


def _model(listed: Sequence[str], model: str) -> CheckResult:
    if model in listed:
        return good(f"{model} is listed")
    return wrong(f"{model} is not listed; listed: {_in_words(listed)}", OTHER_NAME if listed else _CARD)


def _workers(health: Health, roles: Sequence[Role]) -> tuple[CheckResult, tuple[Role, ...]]:
    found = {(each.namespace, each.component) for each in health.instances if each.endpoint == _GENERATE}
    registered = _in_words(sorted(f"dyn://{place}.{name}.{_GENERATE}" for place, name in found))
    absent = _absent([name for _, name in found], roles)
    if absent:
        missing = " and no ".join("worker" if role == "worker" else f"{role} worker" for role in absent)
        return wrong(f"no {missing} is registered; registered: {registered}"), absent
    if all(_absent([name for each, name in found if each == place], roles) for place, _ in found):
        apart = (
            f"{' and '.join(roles)} workers are registered, but in different namespaces, so of different "
            f"generations, which never meet: {registered}"
        )
        return wrong(apart, "wait for the rollout to end, or delete the pods of the old generation"), ()
    return good(registered), ()


def _absent(components: Sequence[str], roles: Iterable[Role]) -> tuple[Role, ...]:
    return tuple(role for role in roles if not any(_is_of(role, name) for name in components))


def _is_of(role: Role, component: str) -> bool:
    return component == _PREFILL if role == _PREFILL else _NOT_DECODING.fullmatch(component) is None


def _in_words(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _asked(frontend: Frontend, path: str) -> Answer | str:
    try:
        return frontend.ask(path, seconds=_LONGEST_LISTING_SECONDS)
    except WrongAnswer as error:
        return str(error)
