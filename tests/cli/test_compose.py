"""`dynamo-stack compose`, as a person meets it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cli.compose import MARK
from tests.cli.command import Command, squeezed, write_stack
from tests.compose.projects import agg_gb200_settings, disaggregated, two_aggregated, without_dynamo
from tests.support.dev_settings import disagg_gb200_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def refused(command: Command, folder: Path, settings: dict[str, Any], *arguments: str) -> str:
    """What is said of the stack, of which nothing is written."""
    write_stack(folder, settings, "mine")
    before = files(folder)
    answer = command("compose", "mine", *arguments, folder=folder)
    assert (answer.code, answer.out) == (2, "")
    assert files(folder) == before
    return squeezed(answer.err)


@pytest.fixture
def private_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_workers_that_share_a_pod_are_as_in_the_stack(command: Command, tmp_path: Path) -> None:
    answer = command("compose", "disagg-b200-8gpu", "--to", tmp_path / "host")
    assert answer.code == 0
    assert "Not as in the stack" not in answer.out


def test_the_project_is_written_with_what_to_type_next(command: Command, tmp_path: Path) -> None:
    answer = command("compose", "dev", "--to", tmp_path / "host")
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


def test_without_a_folder_one_is_named_after_the_stack(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, agg_gb200_settings(), "mine")
    assert command("compose", "mine", folder=tmp_path).code == 0
    document = yaml.safe_load((tmp_path / "compose-mine" / "compose.yaml").read_text())
    assert document["name"] == "gpt-oss-agg"


def test_what_a_host_does_otherwise_is_said_and_stands_in_the_file(command: Command, tmp_path: Path) -> None:
    settings = disaggregated()
    settings["serving"]["replicas"] = {"frontend": 2}
    write_stack(tmp_path, settings, "mine")
    answer = command("compose", "mine", folder=tmp_path)
    written = (tmp_path / "compose-mine" / "compose.yaml").read_text()
    for words in (
        "one frontend in place of 2",
        "in place of kvTransport tcp prefill and decode share a container",
    ):
        assert words in answer.out
        assert words in written.partition("\nname:")[0]


def test_the_choices_reach_the_file(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, agg_gb200_settings(), "mine")
    command("compose", "mine", "--discovery", "file", "--network", "host", folder=tmp_path)
    services = yaml.safe_load((tmp_path / "compose-mine" / "compose.yaml").read_text())["services"]
    assert services["worker"]["network_mode"] == "host"
    assert services["worker"]["environment"]["DYN_DISCOVERY_BACKEND"] == "file"
    assert "etcd" not in services


@pytest.mark.parametrize(
    ("option", "allowed"), [("--discovery", ("etcd", "file")), ("--network", ("bridge", "host"))]
)
def test_another_choice_is_refused_with_those_that_there_are(
    command: Command, tmp_path: Path, option: str, allowed: tuple[str, ...]
) -> None:
    said = refused(command, tmp_path, agg_gb200_settings(), option, "consul")
    assert all(f"'{each}'" in said for each in allowed)


def test_workers_that_no_host_of_the_pool_holds_are_refused_with_a_recipe_that_fits(
    command: Command, tmp_path: Path
) -> None:
    said = refused(command, tmp_path, disagg_gb200_settings())
    assert "Pulumi.mine.yaml: serving.pool" in said
    assert "take 5 GPUs on 2 nodes of pool gb200" in said
    assert "try: hosts with 5 GPUs or more, or recipe gpt-oss-120b/trtllm-agg" in said


def test_more_workers_than_one_host_holds_are_refused_with_its_gpus(command: Command, tmp_path: Path) -> None:
    settings = two_aggregated()
    settings["nodePools"][0]["nodes"] = 2
    settings["serving"]["replicas"] = {"worker": 3}
    said = refused(command, tmp_path, settings)
    assert "Pulumi.mine.yaml: serving.replicas" in said
    assert "take 12 GPUs on 2 nodes" in said
    assert "try: fewer replicas: one of gb200's nodes has 8 GPUs" in said


def test_two_pools_are_refused_with_the_one_that_holds_all_workers(command: Command, tmp_path: Path) -> None:
    settings = disaggregated()
    settings["nodePools"] = [
        {"name": name, "instanceType": "p6-b200.48xlarge", "nodes": 1, "labels": {"kind": name}}
        for name in ("one", "other")
    ]
    del settings["serving"]["pool"]
    settings["serving"]["pools"] = {"prefill": "one", "decode": "other"}
    said = refused(command, tmp_path, settings)
    assert "take 5 GPUs on 2 nodes of pool one" in said
    assert "try: pool: one in place of pools" in said


def test_a_way_of_the_kv_cache_that_keeps_workers_apart_is_refused(command: Command, tmp_path: Path) -> None:
    settings = disaggregated()
    settings["nodePools"][0]["nodes"] = 2
    settings["serving"]["kvTransport"] = "efa"
    said = refused(command, tmp_path, settings)
    assert "Pulumi.mine.yaml: serving.kvTransport" in said
    assert "try: kvTransport: tcp" in said


def test_several_servers_without_a_frontend_are_refused(command: Command, tmp_path: Path) -> None:
    settings = without_dynamo()
    settings["serving"] |= {"gpusPerWorker": 4, "replicas": {"worker": 2}}
    said = refused(command, tmp_path, settings)
    assert "Pulumi.mine.yaml: serving.replicas.worker = 2" in said
    assert "try: 1, with more gpusPerWorker" in said


def test_a_server_that_asks_nobody_is_not_put_on_every_address_of_the_host(
    command: Command, tmp_path: Path
) -> None:
    said = refused(command, tmp_path, without_dynamo(), "--network", "host")
    assert "trtllm-serve listens on every address of the host" in said
    assert "try: --network bridge" in said


def test_a_file_of_somebody_else_is_left_and_nothing_else_is_written(
    command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "compose-mine"
    folder.mkdir()
    (folder / "compose.yaml").write_text("services: {}\n")
    said = refused(command, tmp_path, agg_gb200_settings())
    assert "compose.yaml is not what `dynamo-stack compose` wrote, so nothing was written" in said
    assert "--force" in said
    assert (folder / "compose.yaml").read_text() == "services: {}\n"


def test_force_replaces_it_and_never_writes_through_a_link(command: Command, tmp_path: Path) -> None:
    write_stack(tmp_path, agg_gb200_settings(), "mine")
    folder, elsewhere = tmp_path / "compose-mine", tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "compose.yaml").write_text("services: {}\n")
    elsewhere.write_text("mine\n")
    (folder / "nats.conf").symlink_to(elsewhere)
    assert command("compose", "mine", "--force", folder=tmp_path).code == 0
    assert (folder / "compose.yaml").read_text().startswith(MARK)
    assert (folder / "nats.conf").read_text().startswith(MARK)
    assert elsewhere.read_text() == "mine\n"


def test_its_own_files_are_written_again_and_the_token_s_file_is_not_touched(
    command: Command, tmp_path: Path
) -> None:
    write_stack(tmp_path, agg_gb200_settings(), "mine")
    folder = tmp_path / "compose-mine"
    command("compose", "mine", folder=tmp_path)
    (folder / ".env").write_text("HF_TOKEN=planted\n")
    first = (folder / "compose.yaml").read_bytes()
    (folder / "compose.yaml").write_text(f"{MARK}\nservices: {{}}\n")
    assert command("compose", "mine", folder=tmp_path).code == 0
    assert (folder / "compose.yaml").read_bytes() == first
    assert (folder / ".env").read_text() == "HF_TOKEN=planted\n"


@pytest.mark.usefixtures("private_umask")
def test_containers_can_read_what_a_person_with_a_private_umask_writes(
    command: Command, tmp_path: Path
) -> None:
    command("compose", "dev", "--to", tmp_path / "host")
    for path in (tmp_path / "host").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o755 if path.is_dir() else 0o644), path


def test_a_folder_that_cannot_be_written_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = command("compose", "dev", "--to", tmp_path / "file")
    assert (answer.code, answer.out) == (2, "")
    assert "cannot be written" in answer.err
