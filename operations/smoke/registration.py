"""Whether the frontend answers, knows the model and has a worker of each role; looked at until it has."""

import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from components.dynamo_objects import FRONTEND
from hardware import KvPath
from operations.document import Verdict
from operations.smoke.client import Answer, Frontend
from operations.smoke.graph_pods import REFUSED, GraphPods
from operations.smoke.protocol import Health, ModelList, Part, read
from operations.smoke.results import Judgement, WrongAnswer, good, wrong
from recipes.placed import PlacedRecipe

Role = Literal["prefill", "decode", "worker"]
"""`worker` does both, prefill and decode."""

_PREFILL = "prefill"
_GENERATE = "generate"
# Components whose endpoint is called generate too. What decodes has no fixed name: backend with dynamo.vllm,
# dynamo.sglang and dynamo.mocker, tensorrt_llm with dynamo.trtllm (PyPI package ai-dynamo 1.2.1, args.py).
_NOT_DECODING = re.compile(rf"{_PREFILL}|router|(\w+_)?encode")
_OK = 200
_ITSELF = good("the server is the worker")
_BEHIND_IT = Judgement(
    Verdict.UNKNOWN, "a server without Dynamo lists no workers: an answer alone proves both roles"
)
_NEEDS_FRONTEND = Judgement(Verdict.NOT_RUN, "needs the frontend")
# Of a gateway that lets /v1 through and nothing else.
_HIDDEN = frozenset({401, 403, 404, 405})
# ai-dynamo/dynamo#11178: every pod stays Ready.
_CARD = (
    f"`{REFUSED}` in the frontend's log says why: it reads the model's configuration "
    "and tokenizer itself, from the same cache"
)

OTHER_NAME = "--served-model-name of the workers, or the name that was asked for"
"""What to mend where another model is served."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is expected of a deployment, and how to look closer."""

    name: str
    stack: str | None
    url: str | None
    """None where the frontend of a cluster is asked."""
    model: str
    roles: tuple[Role, ...]
    placed: PlacedRecipe | None = None
    """What its stack serves; None without a stack."""
    pods: GraphPods | None = None
    """None where only an address is known."""

    @property
    def answers(self) -> str:
        """The role that answers clients."""
        return self.pods.answers if self.pods else FRONTEND

    @property
    def kv_path(self) -> KvPath | None:
        """The KV cache's way from prefill to decode; None where it has none, or an address does not say."""
        transport = self.placed.kv_transport if self.placed and self.url is None else None
        return transport.path if transport else None


@dataclass(frozen=True, slots=True)
class Registration:
    """The judgements of one look."""

    frontend: Judgement
    workers: Judgement
    model: Judgement
    absent: tuple[Role, ...] = ()
    """Roles without a worker."""
    is_dynamo: bool = True
    """Whether a frontend of Dynamo answers; a server of an engine takes other fields in a request."""

    @property
    def is_over(self) -> bool:
        """Whether waiting is over: nothing is wrong, or what is wrong stays."""
        return not self.wrong or any(each.is_final for each in self.wrong)

    @property
    def wrong(self) -> list[Judgement]:
        """The judgements of what is wrong."""
        findings = (self.frontend, self.workers, self.model)
        return [each for each in findings if each.verdict is Verdict.WRONG]


def judge_listings(
    health: Answer | Judgement, models: Answer | Judgement, model: str, roles: Sequence[Role]
) -> Registration:
    """Return what both listings say of a model and of the roles that should serve it.

    A judgement in the place of an answer says why there is none.
    """
    found = _listed(models, "/v1/models", ModelList, "a list of models")
    listed = None if isinstance(found, Judgement) else tuple(each.id for each in found.data)
    served = found if isinstance(found, Judgement) else _model(listed or (), model)
    if isinstance(health, Answer) and (health.status, health.text.strip()) == (_OK, ""):
        # trtllm-serve's is empty; a frontend of Dynamo always answers with its listing.
        frontend = good("answers, and lists no workers: a server without Dynamo")
        workers = _ITSELF if tuple(roles) == ("worker",) else _BEHIND_IT
        return Registration(frontend, workers, served, is_dynamo=False)
    told = _listed(health, "/health", Health, "a frontend's health")
    if isinstance(told, Health):
        workers, absent = _workers(told, roles)
        if not absent and listed == ():
            served = replace(served, fix=_CARD)
        return Registration(good(f"answers with {len(told.endpoints)} endpoints"), workers, served, absent)
    if listed is None:
        return Registration(told, _NEEDS_FRONTEND, _NEEDS_FRONTEND)
    if isinstance(health, Answer) and health.status in _HIDDEN:
        hidden = f"/health answers HTTP {health.status}: a gateway keeps it back, or it is no frontend"
        return Registration(good(f"lists {_in_words(listed)}"), Judgement(Verdict.UNKNOWN, hidden), served)
    return Registration(told, _NEEDS_FRONTEND, served)


def listed_models(frontend: Frontend, seconds: float) -> tuple[str, ...]:
    """Return the models that a frontend lists; raises WrongAnswer."""
    answer = frontend.ask("/v1/models", seconds=seconds)
    return tuple(each.id for each in read(answer, ModelList, "a list of models").data)


def wait_until_registered(
    frontend: Frontend, target: Target, seconds: float, say: Callable[[str], None]
) -> Registration:
    """Return the last look: the first one in which nothing is wrong, or the one at the end of the time.

    `say` gets what is still missing, each time that it has changed.
    """
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    last = ""
    while True:
        health, models = _asked(frontend, "/health"), _asked(frontend, "/v1/models")
        found = judge_listings(health, models, target.model, target.roles)
        left = max(end - time.monotonic(), 0)
        if found.is_over or not left:
            return found
        missing = "; ".join(each.found for each in found.wrong)
        if missing != last:
            say(f"waiting, at most {math.ceil(left)} s more: {missing}")
            last = missing
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def _listed(answer: Answer | Judgement, path: str, form: type[Part], what: str) -> Part | Judgement:
    if isinstance(answer, Judgement):
        why = answer
    else:
        try:
            return read(answer, form, what)
        except WrongAnswer as error:
            why = error.judgement
    return replace(why, found=f"GET {path}: {why.found}")


def _model(listed: tuple[str, ...], model: str) -> Judgement:
    if model in listed:
        return good(f"{model} is listed")
    return wrong(f"{model} is not listed; listed: {_in_words(listed)}", OTHER_NAME if listed else "")


def _workers(health: Health, roles: Sequence[Role]) -> tuple[Judgement, tuple[Role, ...]]:
    found = {(each.namespace, each.component) for each in health.instances if each.endpoint == _GENERATE}
    absent: tuple[Role, ...] = tuple(
        role for role in roles if not any(_is_of(role, component) for _, component in found)
    )
    registered = _in_words(sorted({f"dyn://{place}.{name}.{_GENERATE}" for place, name in found}))
    if absent:
        missing = " and no ".join("worker" if role == "worker" else f"{role} worker" for role in absent)
        return wrong(f"no {missing} is registered; registered: {registered}"), absent
    places = sorted({place for place, _ in found})
    if any(
        all(any(_is_of(role, name) for each, name in found if each == place) for role in roles)
        for place in places
    ):
        return good(registered), ()
    apart = (
        f"{' and '.join(roles)} workers are registered, but in different namespaces, so of different "
        f"generations, which never meet: {registered}"
    )
    return wrong(apart, "wait for the rollout to end, or delete the pods of the old generation"), ()


def _is_of(role: Role, component: str) -> bool:
    return component == _PREFILL if role == _PREFILL else _NOT_DECODING.fullmatch(component) is None


def _in_words(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 5.0
_LONGEST_LISTING_SECONDS = 10.0


def _asked(frontend: Frontend, path: str) -> Answer | Judgement:
    try:
        return frontend.ask(path, seconds=_LONGEST_LISTING_SECONDS)
    except WrongAnswer as error:
        return error.judgement
