"""The check of a filled model cache, run for real as the Jobs run it, on directories of this machine."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from recipes import cache_check_script

VOCABULARY = b"IQ== 0\n"
SHARDS = ("model-00000-of-00001.safetensors", "model-00001-of-00001.safetensors")


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """The directory of a whole revision, as the hub's client lays it out."""
    directory = tmp_path / "hub" / "models--openai--gpt-oss-120b" / "snapshots" / "b5c939de"
    directory.mkdir(parents=True)
    for name in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"):
        (directory / name).write_text("{}", encoding="utf-8")
    (directory / "chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    index = {"weight_map": {"layer.0": SHARDS[0], "layer.1": SHARDS[1], "layer.2": SHARDS[1]}}
    (directory / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    for shard in SHARDS:
        (directory / shard).write_bytes(safetensors(64))
    (tmp_path / "o200k_base.tiktoken").write_bytes(VOCABULARY)
    return directory


def safetensors(tensor_bytes: int) -> bytes:
    half = tensor_bytes // 2
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "U8", "shape": [half], "data_offsets": [0, half]},
        "b": {"dtype": "U8", "shape": [half], "data_offsets": [half, tensor_bytes]},
    }
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(tensor_bytes)


def _check(
    snapshot: Path, *, sha256: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    root = snapshot.parents[3]
    return subprocess.run(
        [sys.executable, "-I", cache_check_script.__file__],
        env={
            "SNAPSHOT_DIRECTORY": str(snapshot),
            "VOCABULARY_FILE": str(root / "o200k_base.tiktoken"),
            "VOCABULARY_SHA256": sha256 or hashlib.sha256(VOCABULARY).hexdigest(),
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def _faults(snapshot: Path) -> list[str]:
    answer = _check(snapshot)
    assert answer.returncode == 1
    *faults, summary = answer.stderr.splitlines()
    assert summary == f"the model cache is not complete: {len(faults)} faults"
    return faults


def test_a_whole_revision_passes(snapshot: Path) -> None:
    answer = _check(snapshot)
    assert (answer.returncode, answer.stdout) == (0, f"{snapshot} is complete\n")


def test_a_draft_model_that_is_missing_beside_a_whole_revision_does_not_pass(snapshot: Path) -> None:
    draft = snapshot.parent / "draft"
    answer = _check(snapshot, DRAFT_DIRECTORIES=str(draft))
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"{draft}: no such directory")


def test_a_revision_of_links_into_the_hubs_blobs_passes(snapshot: Path) -> None:
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    for file in list(snapshot.iterdir()):
        blob = file.rename(blobs / hashlib.sha256(file.name.encode()).hexdigest())
        file.symlink_to(f"../../blobs/{blob.name}")
    assert _check(snapshot).returncode == 0


def test_every_missing_file_is_named_at_once(snapshot: Path) -> None:
    for name in ("config.json", SHARDS[1]):
        (snapshot / name).unlink()
    (snapshot.parents[3] / "o200k_base.tiktoken").unlink()
    assert _faults(snapshot) == [
        f"{snapshot}/config.json: is missing",
        f"{snapshot / SHARDS[1]}: is missing",
        f"{snapshot.parents[3]}/o200k_base.tiktoken: is missing",
    ]


def test_a_shard_that_was_cut_off_is_found_by_its_own_header(snapshot: Path) -> None:
    whole = safetensors(64)
    (snapshot / SHARDS[0]).write_bytes(whole[:-1])
    assert _faults(snapshot) == [
        f"{snapshot / SHARDS[0]}: has {len(whole) - 1} bytes, its header says {len(whole)}"
    ]


@pytest.mark.parametrize(
    "content", [b"version https://git-lfs.github.com/spec/v1\n", safetensors(64)[:40], b"\x02"]
)
def test_a_pointer_or_a_stump_is_not_a_shard(snapshot: Path, content: bytes) -> None:
    (snapshot / SHARDS[0]).write_bytes(content)
    [fault] = _faults(snapshot)
    assert fault.startswith(f"{snapshot / SHARDS[0]}: is not a safetensors file")


def test_a_link_whose_blob_was_not_copied_is_named_with_its_target(snapshot: Path) -> None:
    (snapshot / SHARDS[0]).unlink()
    (snapshot / SHARDS[0]).symlink_to("../../blobs/0123")
    assert _faults(snapshot) == [f"{snapshot / SHARDS[0]}: links to ../../blobs/0123, which is not there"]


def test_another_revision_on_the_volume_is_named_as_the_likeliest_reason(snapshot: Path) -> None:
    pinned = snapshot.with_name("0123abcd")
    assert _faults(pinned)[0] == (
        f"{pinned}: no such directory; beside it are b5c939de: another revision than the recipe's"
    )


def test_an_index_that_is_no_index_is_named(snapshot: Path) -> None:
    (snapshot / "model.safetensors.index.json").write_text("[]", encoding="utf-8")
    [fault] = _faults(snapshot)
    assert fault.startswith(f"{snapshot}/model.safetensors.index.json: names no files")


def test_a_chat_template_may_stand_in_the_tokenizers_configuration(snapshot: Path) -> None:
    (snapshot / "chat_template.jinja").unlink()
    assert _faults(snapshot) == [
        f"{snapshot}/chat_template.jinja: is missing, and tokenizer_config.json has no chat_template"
    ]
    (snapshot / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}', encoding="utf-8")
    assert _check(snapshot).returncode == 0


def test_a_vocabulary_that_is_not_the_expected_one_is_named_with_both_checksums(snapshot: Path) -> None:
    answer = _check(snapshot, sha256="0" * 64)
    found = hashlib.sha256(VOCABULARY).hexdigest()
    assert answer.returncode == 1
    assert f"o200k_base.tiktoken: sha256 is {found}, expected {'0' * 64}" in answer.stderr
