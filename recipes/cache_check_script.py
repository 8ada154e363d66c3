"""Check that the model cache holds the pinned revision, whole; runs inside the Jobs that copy or check it.

Its text is the Job's command and nothing of this project is installed there, so it imports the standard
library alone. It reads and changes nothing. Every fault is one line that names the file: without it a worker
would stop half an hour later with an error of the engine's.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

# What frontend and engine load beside the weights.
REQUIRED = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")
INDEX = "model.safetensors.index.json"
CHAT_TEMPLATE = "chat_template.jinja"
DRAFT_CONFIG = "config.json"

_CHUNK_BYTES = 1 << 20
_LENGTH_BYTES = 8
_OTHER_REVISIONS_NAMED = 3


def main() -> int:
    """Return the exit code: 0 when nothing is missing."""
    snapshot = Path(os.environ["SNAPSHOT_DIRECTORY"])
    faults = [
        *snapshot_faults(snapshot),
        *(fault for draft in _drafts() for fault in draft_faults(draft)),
        *vocabulary_faults(Path(os.environ["VOCABULARY_FILE"]), os.environ["VOCABULARY_SHA256"]),
    ]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"the model cache is not complete: {len(faults)} faults", file=sys.stderr)
        return 1
    print(f"{snapshot} is complete")
    return 0


def snapshot_faults(snapshot: Path) -> list[str]:
    """Return a line for each file of the revision that is missing or not whole."""
    if not snapshot.is_dir():
        return [f"{snapshot}: no such directory{_other_revisions(snapshot)}"]
    faults = [fault for name in REQUIRED for fault in _file_faults(snapshot / name)]
    if not faults:
        faults += _chat_template_faults(snapshot)
    index = snapshot / INDEX
    missing = list(_file_faults(index))
    return faults + (missing or list(_shard_faults(index)))


def draft_faults(snapshot: Path) -> list[str]:
    """Return a line for each file of a draft model that is missing or not whole; it has weights alone."""
    if not snapshot.is_dir():
        return [f"{snapshot}: no such directory{_other_revisions(snapshot)}"]
    shards = sorted(snapshot.glob("*.safetensors"))
    faults = list(_file_faults(snapshot / DRAFT_CONFIG))
    if not shards:
        faults.append(f"{snapshot}: holds no *.safetensors")
    for shard in shards:
        faults += list(_file_faults(shard)) or list(_length_faults(shard))
    return faults


def vocabulary_faults(file: Path, expected: str) -> list[str]:
    """Return a line if the tokenizer vocabulary is missing or not the expected one."""
    faults = list(_file_faults(file))
    if faults:
        return faults
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            digest.update(chunk)
    found = digest.hexdigest()
    return [] if found == expected else [f"{file}: sha256 is {found}, expected {expected}"]


def _drafts() -> list[Path]:
    return [Path(text) for text in os.environ.get("DRAFT_DIRECTORIES", "").split(":") if text]


def _other_revisions(snapshot: Path) -> str:
    if not snapshot.parent.is_dir():
        return ""
    others = sorted(entry.name for entry in snapshot.parent.iterdir())
    if not others:
        return ""
    return f"; beside it are {', '.join(others[:_OTHER_REVISIONS_NAMED])}: another revision than the recipe's"


def _file_faults(file: Path) -> Iterator[str]:
    if file.is_symlink() and not file.exists():
        yield f"{file}: links to {file.readlink()}, which is not there"
    elif not file.is_file():
        yield f"{file}: is missing"
    elif not os.access(file, os.R_OK):
        yield f"{file}: user {os.getuid()} may not read it"
    elif file.stat().st_size == 0:
        yield f"{file}: is empty"


def _chat_template_faults(snapshot: Path) -> Iterator[str]:
    if (snapshot / CHAT_TEMPLATE).is_file():
        return
    if '"chat_template"' not in (snapshot / "tokenizer_config.json").read_text(encoding="utf-8"):
        yield f"{snapshot / CHAT_TEMPLATE}: is missing, and tokenizer_config.json has no chat_template"


def _shard_faults(index: Path) -> Iterator[str]:
    try:
        shards = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield f"{index}: names no files ({error!r})"
        return
    for shard in (index.parent / name for name in shards):
        faults = list(_file_faults(shard))
        yield from faults or _length_faults(shard)


def _length_faults(shard: Path) -> Iterator[str]:
    """Compare the file's size with the one that its header gives (github.com/huggingface/safetensors)."""
    size = shard.stat().st_size
    try:
        with shard.open("rb") as content:
            header_size = int.from_bytes(content.read(_LENGTH_BYTES), "little")
            header = json.loads(content.read(min(header_size, size)))
        tensors = [entry for name, entry in header.items() if name != "__metadata__"]
        expected = _LENGTH_BYTES + header_size + max(entry["data_offsets"][1] for entry in tensors)
    except (ValueError, KeyError, TypeError, AttributeError):
        yield f"{shard}: is not a safetensors file, or is cut off in its header ({size} bytes)"
        return
    if size != expected:
        yield f"{shard}: has {size} bytes, its header says {expected}"


if __name__ == "__main__":
    sys.exit(main())
