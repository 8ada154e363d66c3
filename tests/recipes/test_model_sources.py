"""The Jobs that fill the cache from a bucket or check an existing volume."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recipes.model_download import (
    DOWNLOAD_IMAGE,
    CacheSource,
    HuggingFaceDownload,
    S3Copy,
    cache_job_spec,
)
from tests.support.placed_recipes import placed_recipe

SNAPSHOT = "/opt/models/hub/models--openai--gpt-oss-120b/snapshots/b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
BUCKET = S3Copy("s3://models/gpt-oss-120b/", region="us-east-1", service_account_name="model-reader")
SOURCES: dict[str, CacheSource] = {"hub": HuggingFaceDownload(), "bucket": BUCKET, "volume": None}


def _pod(source: CacheSource, mirrors: dict[str, str] | None = None) -> dict[str, Any]:
    return cache_job_spec(placed_recipe(image_mirrors=mirrors or {}), source)["template"]["spec"]


def _container(source: CacheSource) -> dict[str, Any]:
    [container] = _pod(source)["containers"]
    return container


def _variables(source: CacheSource) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in _container(source)["env"]}


def test_a_copy_puts_the_bucket_where_the_hub_would_have_put_it() -> None:
    install, files, vocabulary, _ = _container(BUCKET)["args"][0].splitlines()
    assert install.endswith("--target /scratch/packages awscli==1.46.3")
    assert files == (
        f"python3 -m awscli s3 sync s3://models/gpt-oss-120b/ {SNAPSHOT} --exclude o200k_base.tiktoken "
        "--exclude 'original/*' --exclude 'metal/*' --no-progress --region us-east-1"
    )
    assert vocabulary == (
        "python3 -m awscli s3 cp s3://models/gpt-oss-120b/o200k_base.tiktoken "
        "/opt/models/tiktoken/o200k_base.tiktoken --no-progress --region us-east-1"
    )


def test_a_copy_reads_with_the_service_accounts_role_and_no_other() -> None:
    assert _pod(BUCKET)["serviceAccountName"] == "model-reader"
    assert _variables(BUCKET)["AWS_EC2_METADATA_DISABLED"] == "true"
    assert "AWS_ACCESS_KEY_ID" not in _variables(BUCKET)
    assert "secretKeyRef" not in str(_pod(BUCKET))


def test_a_copy_without_a_service_account_may_read_with_the_nodes_role() -> None:
    anonymous = S3Copy("s3://models/gpt-oss-120b")
    assert "serviceAccountName" not in _pod(anonymous)
    assert "AWS_EC2_METADATA_DISABLED" not in _variables(anonymous)
    assert "--region" not in _container(anonymous)["args"][0]


def test_an_address_is_one_word_of_the_shell_whatever_is_in_it() -> None:
    odd = S3Copy("s3://models/a b; rm -rf $HOME")
    assert "'s3://models/a b; rm -rf $HOME/'" in _container(odd)["args"][0]


@pytest.mark.parametrize("source", [BUCKET, None], ids=["bucket", "volume"])
def test_a_copy_and_a_check_end_with_the_same_look_at_every_file(source: CacheSource, tmp_path: Path) -> None:
    container = _container(source)
    variables = _variables(source)
    assert variables["SNAPSHOT_DIRECTORY"] == SNAPSHOT
    shell, *arguments = [*container["command"], *container["args"]]
    if isinstance(source, S3Copy):
        # What comes before needs PyPI and a bucket.
        arguments[1] = arguments[1].splitlines()[-1]
    answer = subprocess.run(
        [shell, *arguments],
        env=variables
        | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": "",
            "SNAPSHOT_DIRECTORY": str(tmp_path / "snapshot"),
            "VOCABULARY_FILE": str(tmp_path / "vocabulary"),
        },
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert answer.returncode == 1
    assert answer.stderr.splitlines() == [
        f"{tmp_path}/snapshot: no such directory",
        f"{tmp_path}/vocabulary: is missing",
        "the model cache is not complete: 2 faults",
    ]


def test_a_check_needs_no_network_and_cannot_write() -> None:
    container = _container(None)
    assert container["command"] == ["python3", "-c"]
    assert container["volumeMounts"] == [
        {"name": "model-cache", "mountPath": "/opt/models", "readOnly": True}
    ]


def test_a_check_is_not_tried_again_and_again_for_a_file_that_will_not_appear() -> None:
    tries = {
        name: cache_job_spec(placed_recipe(), source)["backoffLimit"] for name, source in SOURCES.items()
    }
    assert tries == {"hub": 3, "bucket": 3, "volume": 1}


@pytest.mark.parametrize("name", SOURCES)
def test_a_job_has_no_privileges_and_says_in_its_status_what_is_missing(name: str) -> None:
    pod = _pod(SOURCES[name])
    assert pod["automountServiceAccountToken"] is False
    assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 1000)
    container = _container(SOURCES[name])
    assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "nvidia.com/gpu.present" in str(pod["affinity"])


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_in_a_job_is_expanded_by_flux_or_by_the_kubelet(name: str) -> None:
    assert "${" not in str(_pod(SOURCES[name]))
    assert "$(" not in str(_pod(SOURCES[name]))


@pytest.mark.parametrize("name", SOURCES)
def test_the_image_of_a_job_comes_from_the_mirror(name: str) -> None:
    [container] = _pod(SOURCES[name], {"docker.io": "registry.example/hub"})["containers"]
    assert container["image"] == f"registry.example/hub/library/{DOWNLOAD_IMAGE}"
