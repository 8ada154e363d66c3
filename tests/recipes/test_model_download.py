"""The download Job, and its vocabulary script run for real against a server on this machine."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from recipes import vocabulary_script
from recipes.model_download import HuggingFaceDownload, cache_job_spec
from tests.support.loopback import served
from tests.support.placed_recipes import placed_recipe

CONTENT = b"IQ== 0\nIg== 1\n" * 100_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def _pod(token_secret_name: str | None = None) -> dict[str, Any]:
    return cache_job_spec(placed_recipe(), HuggingFaceDownload(token_secret_name))["template"]["spec"]


def _variables(container: dict[str, Any]) -> dict[str, Any]:
    return {
        variable["name"]: variable.get("value", variable.get("valueFrom")) for variable in container["env"]
    }


def test_the_job_downloads_the_pinned_revision_without_what_nobody_reads() -> None:
    [container] = _pod()["containers"]
    command = container["args"][0].splitlines()
    assert command[1] == (
        "/scratch/packages/bin/hf download openai/gpt-oss-120b "
        "--revision b5c939de8f754692c1647ca79fbf85e8c1e70f8a --exclude 'original/*' --exclude 'metal/*'"
    )
    assert command[0].endswith("huggingface_hub==1.11.0")
    assert "hf_transfer" not in str(container)
    assert "HF_HUB_ENABLE_HF_TRANSFER" not in str(container)


def test_the_job_is_bounded_in_memory_and_its_client_knows_the_bound() -> None:
    [container] = _pod()["containers"]
    assert container["resources"] == {"requests": {"memory": "8Gi"}, "limits": {"memory": "8Gi"}}
    assert _variables(container)["HF_XET_RECONSTRUCTION_DOWNLOAD_BUFFER_LIMIT"] == "4gb"
    # It would lift that limit.
    assert "HF_XET_HIGH_PERFORMANCE" not in _variables(container)


def test_a_token_is_a_reference_to_its_secret_and_without_one_there_is_none() -> None:
    assert "HF_TOKEN" not in str(_pod())
    [container] = _pod("hf-token-secret")["containers"]
    assert _variables(container)["HF_TOKEN"] == {
        "secretKeyRef": {"name": "hf-token-secret", "key": "HF_TOKEN"}
    }


@pytest.fixture
def server() -> Iterator[str]:
    """The address of one file on a web server of this machine."""
    application = Flask(__name__)
    application.get("/vocabulary.tiktoken")(lambda: CONTENT)
    with served(application) as address:
        yield f"{address}/vocabulary.tiktoken"


def _run(url: str, target: Path, sha256: str = SHA256) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, vocabulary_script.__file__],
        env={"VOCABULARY_URL": url, "VOCABULARY_FILE": str(target), "VOCABULARY_SHA256": sha256},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_vocabulary_arrives_whole_in_a_folder_that_was_not_there(server: str, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "tiktoken" / "o200k_base.tiktoken"
    assert _run(server, target).returncode == 0
    assert target.read_bytes() == CONTENT
    assert [file.name for file in target.parent.iterdir()] == [target.name]


def test_a_second_run_asks_nobody(server: str, tmp_path: Path) -> None:
    target = tmp_path / "o200k_base.tiktoken"
    _run(server, target)
    answer = _run("http://127.0.0.1:1/nobody-listens-here", target)
    assert (answer.returncode, answer.stdout) == (0, f"{target} is there already\n")


def test_a_damaged_file_is_replaced(server: str, tmp_path: Path) -> None:
    target = tmp_path / "o200k_base.tiktoken"
    target.write_bytes(CONTENT[:-1])
    assert _run(server, target).returncode == 0
    assert target.read_bytes() == CONTENT


def test_a_file_that_is_not_the_expected_one_is_never_put_in_place(server: str, tmp_path: Path) -> None:
    target = tmp_path / "o200k_base.tiktoken"
    answer = _run(server, target, sha256="0" * 64)
    assert answer.returncode == 1
    assert f"has sha256 {SHA256}, expected {'0' * 64}" in answer.stderr
    assert not list(tmp_path.glob("o200k*"))
