"""Where harmony is parsed, the vocabulary that it needs is on a volume."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.cache.graph_models import graph_workers
from rules.model import Observation, Rule, Severity, failed
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users

_PARSERS = {"--dyn-tool-call-parser": "harmony", "--dyn-reasoning-parser": "gpt_oss"}
_VARIABLE = "TIKTOKEN_ENCODINGS_BASE"
_ADDRESS = "openaipublic.blob.core.windows.net"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"frontend"}, lambda user: _check_user(graph, user))


def _check_user(graph: ResourceGraph, user: ModelUser) -> Iterator[Observation]:
    if not any(_parses(worker) for worker in graph_workers(graph, user.resource)):
        return
    directory = user.variable(_VARIABLE)
    if not directory:
        yield failed(
            user.resource,
            user.name,
            f"fetches o200k_base.tiktoken from {_ADDRESS} when the first answer is parsed: {_VARIABLE} is "
            "not set",
        )
    elif user.mount_of(directory) is None:
        yield failed(
            user.resource,
            user.name,
            f"looks for o200k_base.tiktoken in {directory} ({_VARIABLE}), where no claim is mounted",
        )


def _parses(worker: ModelUser) -> bool:
    return any(flag.value is not None and _PARSERS.get(flag.name) == flag.value.text for flag in worker.flags)


RULE = Rule(
    id="harmony-vocabulary",
    title="Where harmony is parsed, the vocabulary that it needs is on a volume",
    severity=Severity.ADVISORY,
    reason=(
        "The harmony parsers fetch o200k_base.tiktoken on first use. Without egress they fail in silence: "
        "answers come unsplit, without tool calls."
    ),
    source="ai-dynamo/dynamo#15155",
    lines=("Dynamo 1.2",),
    fix=f"Put o200k_base.tiktoken on the model claim and set {_VARIABLE} to its directory on the frontend.",
    check=_check,
)
