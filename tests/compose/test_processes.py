"""Compose projects, run: the real etcd, NATS, frontend and runtime of the workers, with a mock engine."""

import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import requests

from lab.kubelet.mock_model import write_model
from lab.toolchain.build import cache_directory
from lab.toolchain.runtime import RUNTIME
from recipes.load import load_recipe
from recipes.node_cache import marker_file
from tests.cli.command import Command, write_stack
from tests.compose.processes import host
from tests.compose.projects import two_aggregated
from tests.support.dev_settings import disagg_b200_settings

pytestmark = pytest.mark.lab
MODEL = "openai/gpt-oss-120b"


@pytest.fixture(scope="session", autouse=True)
def runtime() -> None:
    """The Dynamo runtime on this machine."""
    RUNTIME.install_missing(cache_directory(), print)


def downloaded(scratch: Path) -> None:
    """Leave what a download leaves, so that the project's own finds all of it there."""
    recipe = load_recipe("gpt-oss-120b/trtllm-disagg")
    volume = scratch / "volumes" / "model-cache"
    write_model(volume / "hub", recipe.model.repository, recipe.model.revision)
    marker = volume / marker_file(recipe).removeprefix("/opt/models/")
    marker.parent.mkdir()
    marker.touch()


def asked(address: str) -> dict[str, Any]:
    """An answer of the model, by way of the frontend."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": "w1 w2"}], "max_tokens": 8}
    deadline = time.monotonic() + 20
    while True:
        answer = requests.post(f"http://{address}:8000/v1/chat/completions", json=body, timeout=60)
        # The frontend lists a model a moment before it opens the path.
        if answer.status_code != HTTPStatus.NOT_FOUND or time.monotonic() > deadline:
            assert answer.status_code == HTTPStatus.OK, answer.text
            return answer.json()
        time.sleep(0.2)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    downloaded(folder)
    return folder


def written(command: Command, folder: Path, settings: dict[str, Any]) -> Path:
    write_stack(folder, settings, "mine")
    answer = command("compose", "mine", folder=folder)
    assert answer.code == 0, answer.err
    return folder / "compose-mine"


@pytest.mark.parametrize("settings", [disagg_b200_settings, two_aggregated])
def test_a_project_comes_up_in_its_own_order_answers_and_goes(
    command: Command, tmp_path: Path, scratch: Path, settings: Any
) -> None:
    with host(written(command, tmp_path, settings()), scratch) as running:
        running.up()
        usage = asked(running.address("frontend"))["usage"]
        running.down()
    assert usage["completion_tokens"] == 8
    # etcd ends by the signal itself once it has closed its database.
    assert {name for name, code in running.codes.items() if code} <= {"etcd"}
