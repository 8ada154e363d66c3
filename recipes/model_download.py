"""What fills the model cache, or checks one that others filled: a container, and the Job that runs it."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from recipes.images import mirrored
from recipes.model import Recipe
from recipes.model_files import IMAGE_USER, MODEL_DIRECTORY, VOCABULARY_DIRECTORY
from recipes.placed import PlacedRecipe
from recipes.pod_environment import listed
from recipes.pod_placement import scheduling_with_cache

TOKEN_KEY = "HF_TOKEN"  # noqa: S105 - the name of a key, not a token

DOWNLOAD_IMAGE = (
    "python:3.12.14-slim-bookworm@sha256:0f5b26b9518d002b6173fd61daad821fa340635ebfec5bba471013f9ca114579"
)
"""Correction D22; for amd64 and arm64."""
_PACKAGES = ("huggingface_hub==1.11.0",)
"""Correction K18: without hf_transfer."""
_MEMORY = "8Gi"
S3_PACKAGES = ("awscli==1.46.3",)
"""What copies from S3, from PyPI: the AWS CLI in the version that its documentation calls 1."""

_VOCABULARY_SCRIPT = Path(__file__).with_name("vocabulary_script.py")
_CHECK_SCRIPT = Path(__file__).with_name("cache_check_script.py")
CACHE_VOLUME, SCRATCH_VOLUME = "model-cache", "scratch"
"""The volumes that the container mounts."""
SCRATCH_DIRECTORY = "/scratch"
PACKAGES_DIRECTORY = f"{SCRATCH_DIRECTORY}/packages"
# The images of Jobs have no home directory for their user.
IN_SCRATCH = {"HOME": SCRATCH_DIRECTORY, "PYTHONPATH": PACKAGES_DIRECTORY}
_ATTEMPTS = 3
# A file that is missing will not appear; the second try is for a node that went away.
_CHECK_ATTEMPTS = 1
_CHECK_MEMORY = "512Mi"
# What is downloaded as this user can be read, and its lock files written, by the pods that serve it.
UNPRIVILEGED_POD: Mapping[str, Any] = {
    "runAsNonRoot": True,
    "runAsUser": IMAGE_USER,
    "runAsGroup": IMAGE_USER,
    "fsGroup": IMAGE_USER,
    # Otherwise every start walks through the whole cache to set its group.
    "fsGroupChangePolicy": "OnRootMismatch",
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Security context of a pod that writes to the cache what the serving pods read."""


@dataclass(frozen=True, slots=True)
class HuggingFaceDownload:
    """The pinned revision from the Hugging Face hub, the vocabulary from where the recipe says."""

    token_secret_name: str | None = None
    """A Secret with the key HF_TOKEN; None downloads anonymously."""


@dataclass(frozen=True, slots=True)
class S3Copy:
    """The files from a bucket: those of the revision's directory, and the vocabulary beside them.

    Those of a draft model lie in a folder of its name, such as gpt-oss-120b-Eagle3-v3, below the address.
    """

    address: str
    """s3://bucket/prefix, where config.json and o200k_base.tiktoken lie."""
    region: str | None = None
    """None: as the environment of the service account says."""
    service_account_name: str | None = None
    """Service account whose role may read the prefix (IRSA or EKS Pod Identity); no static credentials."""


CacheSource = HuggingFaceDownload | S3Copy | None
"""None: nothing is copied; the volume exists, and what it must hold is checked."""


def cache_job_spec(placed: PlacedRecipe, source: CacheSource) -> dict[str, Any]:
    """Return the JobSpec for the claim that the graph's pods mount."""
    pod: dict[str, Any] = {
        "restartPolicy": "Never",
        **scheduling_with_cache(placed.cache_nodes),
        **filling_pod_fields(source),
        "containers": [filling_container(placed, source)],
        "volumes": [
            {"name": CACHE_VOLUME, "persistentVolumeClaim": {"claimName": placed.cache_claim_name}},
            {"name": SCRATCH_VOLUME, "emptyDir": {}},
        ],
    }
    attempts = _ATTEMPTS if source else _CHECK_ATTEMPTS
    return {"backoffLimit": attempts, "template": {"spec": pod}}


def filling_pod_fields(source: CacheSource) -> dict[str, Any]:
    """Return what a pod needs to have around the container beside its volumes."""
    fields: dict[str, Any] = {
        # It asks the API server for nothing; a role's token is mounted by itself.
        "automountServiceAccountToken": False,
        "securityContext": dict(UNPRIVILEGED_POD),
    }
    if isinstance(source, S3Copy) and source.service_account_name:
        fields["serviceAccountName"] = source.service_account_name
    return fields


def filling_container(placed: PlacedRecipe, source: CacheSource, marker: str | None = None) -> dict[str, Any]:
    """Return the container that fills `CACHE_VOLUME`, or checks it.

    Args:
        placed: what the cache must hold.
        source: where the files come from.
        marker: file that says that the cache is complete; where it is there, nothing is done. None: always
            look.

    """
    recipe, image = placed.recipe, mirrored(DOWNLOAD_IMAGE, placed.image_mirrors)
    match source:
        case HuggingFaceDownload():
            return _download(recipe, image, source.token_secret_name, marker)
        case S3Copy():
            return _copy(recipe, image, source, marker)
        case None:
            return _check(recipe, image)


def install_command(*packages: str) -> str:
    """Return the shell command that installs packages of PyPI beside those of a Job's image."""
    pip = ["python3", "-m", "pip", "install", "--quiet", "--target", PACKAGES_DIRECTORY]
    return shlex.join([*pip, *packages])


def _download(
    recipe: Recipe, image: str, token_secret_name: str | None, marker: str | None
) -> dict[str, Any]:
    hub = [f"{PACKAGES_DIRECTORY}/bin/hf", "download"]
    download = [*hub, recipe.model.repository, "--revision", recipe.model.revision]
    for pattern in recipe.model.excluded_files:
        download += ["--exclude", pattern]
    drafts = [[*hub, draft.repository, "--revision", draft.revision] for draft in recipe.draft_models]
    token: list[dict[str, Any]] = []
    if token_secret_name is not None:
        reference = {"secretKeyRef": {"name": token_secret_name, "key": TOKEN_KEY}}
        token = [{"name": TOKEN_KEY, "valueFrom": reference}]
    variables = {
        "VOCABULARY_URL": recipe.model.vocabulary.url,
        **_vocabulary_variables(recipe),
        "HF_HOME": MODEL_DIRECTORY,
        # The buffers of the xet client grow with the host's memory, not with the container's; without this
        # and the container's limit the Job ends as OOMKilled (ai-dynamo/dynamo#9884).
        "HF_XET_RECONSTRUCTION_DOWNLOAD_BUFFER_LIMIT": "4gb",
    }
    return _container(
        image,
        name="download",
        packages=_PACKAGES,
        commands=[download, *drafts],
        script=_VOCABULARY_SCRIPT,
        variables=[*listed(variables), *token],
        marker=marker,
    )


def _copy(recipe: Recipe, image: str, source: S3Copy, marker: str | None) -> dict[str, Any]:
    address = source.address.rstrip("/")
    vocabulary = _vocabulary_name(recipe)
    beside = [f"{draft.name}/*" for draft in recipe.draft_models]
    excluded = [word for each in (*recipe.model.excluded_files, *beside) for word in ("--exclude", each)]
    region = ["--region", source.region] if source.region else []
    tool = ["python3", "-m", "awscli", "s3"]
    options = ["--no-progress", *region]
    files = [
        *tool,
        "sync",
        f"{address}/",
        recipe.model.snapshot_directory,
        "--exclude",
        vocabulary,
        *excluded,
        *options,
    ]
    drafts = [
        [*tool, "sync", f"{address}/{draft.name}/", draft.snapshot_directory, *options]
        for draft in recipe.draft_models
    ]
    variables = {**_check_variables(recipe), "AWS_RETRY_MODE": "standard", "AWS_MAX_ATTEMPTS": "10"}
    if source.service_account_name:
        # A service account without a role would silently take the node's, which reads more than this.
        variables["AWS_EC2_METADATA_DISABLED"] = "true"
    return _container(
        image,
        name="copy",
        packages=S3_PACKAGES,
        commands=[
            files,
            *drafts,
            [*tool, "cp", f"{address}/{vocabulary}", variables["VOCABULARY_FILE"], *options],
        ],
        script=_CHECK_SCRIPT,
        variables=listed(variables),
        marker=marker,
    )


def _check(recipe: Recipe, image: str) -> dict[str, Any]:
    return {
        "name": "check",
        "image": image,
        "command": ["python3", "-c"],
        "args": [_CHECK_SCRIPT.read_text(encoding="utf-8")],
        "env": listed(_check_variables(recipe)),
        **_limits_and_security(_CHECK_MEMORY),
        "volumeMounts": [
            {"name": CACHE_VOLUME, "mountPath": MODEL_DIRECTORY, "readOnly": True},
        ],
    }


def _container(
    image: str,
    *,
    name: str,
    packages: tuple[str, ...],
    commands: list[list[str]],
    script: Path,
    variables: list[dict[str, Any]],
    marker: str | None,
) -> dict[str, Any]:
    lines = [install_command(*packages), *map(shlex.join, commands)]
    if marker:
        done = [f"mkdir -p {shlex.quote(str(PurePosixPath(marker).parent))}", f"touch {shlex.quote(marker)}"]
        lines = [f"if [ -e {shlex.quote(marker)} ]; then exit 0; fi", *lines, 'python3 -c "$1"', *done]
    else:
        lines.append('exec python3 -c "$1"')
    return {
        "name": name,
        "image": image,
        "command": ["/bin/sh", "-ec"],
        # The script is the shell's first argument: quoted into the command it could not be read.
        "args": ["\n".join(lines), name, script.read_text(encoding="utf-8")],
        "env": [*variables, *listed(IN_SCRATCH)],
        **_limits_and_security(_MEMORY),
        "volumeMounts": [
            {"name": CACHE_VOLUME, "mountPath": MODEL_DIRECTORY},
            {"name": SCRATCH_VOLUME, "mountPath": SCRATCH_DIRECTORY},
        ],
    }


def _limits_and_security(memory: str) -> dict[str, Any]:
    return {
        "resources": {"requests": {"memory": memory}, "limits": {"memory": memory}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        # What is missing then stands in the pod's status, where it outlives the log.
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _vocabulary_name(recipe: Recipe) -> str:
    return recipe.model.vocabulary.url.rsplit("/", 1)[-1]


def _vocabulary_variables(recipe: Recipe) -> dict[str, str]:
    return {
        "VOCABULARY_SHA256": recipe.model.vocabulary.sha256,
        "VOCABULARY_FILE": f"{VOCABULARY_DIRECTORY}/{_vocabulary_name(recipe)}",
    }


def _check_variables(recipe: Recipe) -> dict[str, str]:
    drafts = [draft.snapshot_directory for draft in recipe.draft_models]
    beside = {"DRAFT_DIRECTORIES": ":".join(drafts)} if drafts else {}
    return {"SNAPSHOT_DIRECTORY": recipe.model.snapshot_directory, **beside, **_vocabulary_variables(recipe)}
