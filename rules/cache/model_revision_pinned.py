"""A download and a worker say which revision they mean."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users

_COMMIT = re.compile(r"[0-9a-f]{40}")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"download", "worker"}, _check_user)


def _check_user(user: ModelUser) -> Iterator[Observation]:
    for model in user.models:
        if model.is_path or model.repository is None or _COMMIT.fullmatch(model.revision or ""):
            continue
        # Offline, a worker reads what the volume calls main, and nobody moves that behind its back.
        if user.kind == "worker" and user.is_offline:
            continue
        verb = "downloads" if user.kind == "download" else "serves"
        found = "in no revision" if model.revision is None else f"in revision {model.revision}, which moves"
        yield failed(
            user.resource,
            user.name,
            f"{verb} {model.repository} {found}: when the publisher pushes, the next start takes other files",
        )


RULE = Rule(
    id="model-revision-pinned",
    title="A download and a worker say which revision of the model they mean",
    severity=Severity.ADVISORY,
    reason=(
        "A repository's name means its main branch of that moment. Once it moves, workers that start later "
        "serve other weights than those that run, after a second download onto the same claim."
    ),
    source=(
        "https://huggingface.co/docs/huggingface_hub/guides/download; ai-dynamo/dynamo "
        "recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Download with --revision and the commit's 40 digits, and give workers the directory of that "
        "snapshot (…/hub/models--<owner>--<name>/snapshots/<commit>)."
    ),
    check=_check,
)
