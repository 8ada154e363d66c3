"""The Job that fills the model cache, as a Kubernetes JobSpec."""

import shlex
from pathlib import Path
from typing import Any

from recipes.graph_manifest import NODES_WITHOUT_GPUS
from recipes.model import Recipe

TOKEN_KEY = "HF_TOKEN"  # noqa: S105 - the name of a key, not a token

_VOCABULARY_SCRIPT = Path(__file__).with_name("vocabulary_script.py")
_VOLUME = "model-cache"
_SCRATCH_VOLUME = "scratch"
_SCRATCH_DIRECTORY = "/scratch"
_PACKAGES_DIRECTORY = f"{_SCRATCH_DIRECTORY}/packages"
_ATTEMPTS = 3
# The user of the runtime image and the group that the operator gives its volumes: what is downloaded
# as this user can be read, and its lock files written, by the pods that serve it.
_USER = 1000


def download_job_spec(recipe: Recipe, claim_name: str, token_secret_name: str | None) -> dict[str, Any]:
    """Return the JobSpec.

    Args:
        recipe: what to download, and with which limits.
        claim_name: the claim of the model cache.
        token_secret_name: a Secret with the key HF_TOKEN, or None to download anonymously.

    """
    return {
        "backoffLimit": _ATTEMPTS,
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "affinity": {"nodeAffinity": dict(NODES_WITHOUT_GPUS)},
                "securityContext": _pod_security(),
                "containers": [_container(recipe, token_secret_name)],
                "volumes": [
                    {"name": _VOLUME, "persistentVolumeClaim": {"claimName": claim_name}},
                    {"name": _SCRATCH_VOLUME, "emptyDir": {}},
                ],
            }
        },
    }


def _container(recipe: Recipe, token_secret_name: str | None) -> dict[str, Any]:
    cache = recipe.model_cache
    return {
        "name": "download",
        "image": cache.download_image,
        "command": ["/bin/sh", "-ec"],
        # The script is the shell's first argument: quoted into the command it could not be read.
        "args": [_shell_command(recipe), "download", _VOCABULARY_SCRIPT.read_text(encoding="utf-8")],
        "env": [*_variables(recipe), *_token(token_secret_name)],
        "resources": {
            "requests": {"memory": cache.download_memory_limit},
            "limits": {"memory": cache.download_memory_limit},
        },
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": _VOLUME, "mountPath": cache.mount_path},
            {"name": _SCRATCH_VOLUME, "mountPath": _SCRATCH_DIRECTORY},
        ],
    }


def _shell_command(recipe: Recipe) -> str:
    install = ["python3", "-m", "pip", "install", "--quiet", "--target", _PACKAGES_DIRECTORY]
    download = [f"{_PACKAGES_DIRECTORY}/bin/hf", "download", recipe.model.repository]
    download += ["--revision", recipe.model.revision]
    for pattern in recipe.model.excluded_files:
        download += ["--exclude", pattern]
    return "\n".join(
        [
            shlex.join([*install, *recipe.model_cache.download_packages]),
            shlex.join(download),
            'exec python3 -c "$1"',
        ]
    )


def _variables(recipe: Recipe) -> list[dict[str, str]]:
    cache = recipe.model_cache
    variables = {
        "VOCABULARY_URL": cache.vocabulary.url,
        "VOCABULARY_SHA256": cache.vocabulary.sha256,
        "VOCABULARY_FILE": f"{cache.vocabulary_directory}/{cache.vocabulary.url.rsplit('/', 1)[-1]}",
        "HF_HOME": cache.mount_path,
        # The image has no home directory for this user.
        "HOME": _SCRATCH_DIRECTORY,
        "PYTHONPATH": _PACKAGES_DIRECTORY,
        **cache.download_environment,
    }
    return [{"name": name, "value": value} for name, value in variables.items()]


def _token(secret_name: str | None) -> list[dict[str, Any]]:
    if secret_name is None:
        return []
    reference = {"secretKeyRef": {"name": secret_name, "key": TOKEN_KEY}}
    return [{"name": TOKEN_KEY, "valueFrom": reference}]


def _pod_security() -> dict[str, Any]:
    return {
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "runAsGroup": _USER,
        "fsGroup": _USER,
        # Otherwise every start walks through the whole cache to set its group.
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
