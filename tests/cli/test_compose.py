"""`dynamo-stack compose`, as a person meets it."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from cli.compose import MARK
from tests.cli.command import Command, merged, squeezed, write_stack
from tests.compose.projects import two_aggregated, without_dynamo
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def on_hosts(settings: dict[str, Any], **serving: Any) -> dict[str, Any]:
    """The settings on two hosts, with these keys of what is served."""
    pools = [{**pool, "nodes": 2} for pool in settings["nodePools"]]
    return merged(settings, {"nodePools": pools, "serving": serving})


def on_two_pools() -> dict[str, Any]:
    [pool] = disagg_b200_settings()["nodePools"]
    pools = [{**pool, "name": name, "labels": {"kind": name}} for name in ("one", "other")]
    serving = {"pool": None, "pools": {"prefill": "one", "decode": "other"}}
    return merged(disagg_b200_settings(), {"nodePools": pools, "serving": serving})


def test_workers_that_share_a_pod_are_as_in_the_stack(command: Command, tmp_path: Path) -> None:
    answer = command("compose", "disagg-b200-8gpu", "--to", tmp_path / "host")
    assert answer.code == 0
    assert "Not as in the stack" not in answer.out


def test_the_project_is_written_for_containers_to_read_with_what_to_type_next(
    command: Command, tmp_path: Path
) -> None:
    before = os.umask(0o077)
    try:
        answer = command("compose", "dev", "--to", tmp_path / "host")
    finally:
        os.umask(before)
    assert (answer.code, answer.err) == (0, "")
    assert files(tmp_path / "host") == {
        "compose.yaml",
        ".env.example",
        "nats.conf",
        "engine/prefill.yaml",
        "engine/decode.yaml",
        "engine/supervisor.py",
    }
    assert "docker compose up --detach --wait" in answer.out.splitlines()[-1]
    for path in (tmp_path / "host").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o755 if path.is_dir() else 0o644), path


def test_what_a_host_does_otherwise_is_said_and_stands_in_the_file(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, merged(disagg_b200_settings(), {"serving": {"replicas": {"frontend": 2}}}), "mine")
    answer = command("compose", "mine", folder=tmp_path)
    written = (tmp_path / "compose-mine" / "compose.yaml").read_text()
    for words in (
        "one frontend in place of 2",
        "in place of kvTransport tcp prefill and decode share a container",
    ):
        assert words in answer.out
        assert words in written.partition("\nname:")[0]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        pytest.param(
            disagg_gb200_settings(),
            (
                "Pulumi.mine.yaml: serving.pool",
                "take 5 GPUs on 2 nodes of pool gb200",
                "try: hosts with 5 GPUs or more, or recipe gpt-oss-120b/trtllm-agg",
            ),
            id="no host holds the workers",
        ),
        pytest.param(
            on_hosts(two_aggregated(), replicas={"worker": 3}),
            (
                "Pulumi.mine.yaml: serving.replicas",
                "take 12 GPUs on 2 nodes",
                "try: fewer replicas: one of gb200's nodes has 8 GPUs",
            ),
            id="one host does not hold so many",
        ),
        pytest.param(
            on_two_pools(),
            ("take 5 GPUs on 2 nodes of pool one", "try: pool: one in place of pools"),
            id="two pools",
        ),
        pytest.param(
            on_hosts(disagg_b200_settings(), kvTransport="efa"),
            ("Pulumi.mine.yaml: serving.kvTransport", "try: kvTransport: tcp"),
            id="a way of the KV cache that keeps workers apart",
        ),
        pytest.param(
            merged(without_dynamo(), {"serving": {"gpusPerWorker": 4, "replicas": {"worker": 2}}}),
            ("Pulumi.mine.yaml: serving.replicas.worker = 2", "try: 1, with more gpusPerWorker"),
            id="several servers without a frontend",
        ),
    ],
)
def test_what_one_host_cannot_do_is_refused_with_what_it_can(
    command: Command, tmp_path: Path, settings: dict[str, Any], says: tuple[str, ...]
) -> None:
    file = write_stack(tmp_path, settings, "mine")
    answer = command("compose", "mine", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert list(tmp_path.iterdir()) == [file]
    said = squeezed(answer.err)
    assert [text for text in says if text not in said] == []


def test_its_own_files_are_written_again_old_ones_are_named_and_those_of_others_are_not_touched(
    command: Command, tmp_path: Path
) -> None:
    write_stack(tmp_path, agg_gb200_settings(), "mine")
    folder = tmp_path / "compose-mine"
    command("compose", "mine", folder=tmp_path)
    (folder / ".env").write_text("HF_TOKEN=planted\n")
    (folder / "compose.yaml").write_text(f"{MARK}\nservices: {{}}\n")
    (folder / "engine" / "decode.yaml").write_text(f"{MARK}\nearlier: true\n")
    (folder / "engine" / "mine.yaml").write_text("mine: true\n")
    folder.chmod(0o700)
    answer = command("compose", "mine", folder=tmp_path)
    assert answer.code == 0
    assert "frontend:" in (folder / "compose.yaml").read_text()
    assert (folder / ".env").read_text() == "HF_TOKEN=planted\n"
    assert "Left by an earlier run, and no longer used: engine/decode.yaml. Delete" in answer.out
    assert "engine/decode.yaml" in files(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
