"""A download asks for the memory that it may use."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.shapes import field
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"download"}, _check_user)


def _check_user(user: ModelUser) -> Iterator[Observation]:
    # Kubernetes takes a limit for the request where only the limit is given.
    if field(user.container, "resources", "limits", "memory") is not None:
        return
    found = "requests memory without a limit"
    if field(user.container, "resources", "requests", "memory") is None:
        found = "asks for no memory"
    yield failed(user.resource, user.name, f"{found}, so it is the first to go where its node has too little")


RULE = Rule(
    id="download-memory-limited",
    title="A download asks for the memory that it may use",
    severity=Severity.ADVISORY,
    reason=(
        "The client's buffers grow with the memory of the node: a download of many gigabytes ends as "
        "OOMKilled or evicted, halfway, and begins again."
    ),
    source="ai-dynamo/dynamo#9884",
    lines=("Dynamo 1.2",),
    fix="Request and limit 8Gi, and set HF_XET_RECONSTRUCTION_DOWNLOAD_BUFFER_LIMIT (4gb) below the limit.",
    check=_check,
)
