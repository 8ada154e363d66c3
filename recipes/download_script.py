"""Fill the model cache; runs inside the download Job, where nothing of this project is installed.

Its text is the Job's command, so it imports the standard library and huggingface_hub alone. Running it
again downloads only what is missing or damaged.
"""

import hashlib
import os
import sys
import urllib.request
from pathlib import Path

_CHUNK_BYTES = 1 << 20
_TIMEOUT_SECONDS = 60


def main() -> int:
    """Download the pinned snapshot and the vocabulary; return the exit code."""
    _download_snapshot()
    target = Path(os.environ["VOCABULARY_FILE"])
    expected = os.environ["VOCABULARY_SHA256"]
    if target.exists() and sha256_of(target) == expected:
        print(f"{target} is there already", flush=True)  # noqa: T201 - the Job's log is its only output
        return 0
    return _download_vocabulary(os.environ["VOCABULARY_URL"], target, expected)


def sha256_of(file: Path) -> str:
    """Return the file's SHA-256 as hexadecimal digits."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _download_snapshot() -> None:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - installed by the Job, not here

    path = snapshot_download(
        os.environ["MODEL_NAME"],
        revision=os.environ["MODEL_REVISION"],
        ignore_patterns=os.environ["MODEL_EXCLUDED_FILES"].split(","),
    )
    print(f"{path} is complete", flush=True)  # noqa: T201 - the Job's log is its only output


def _download_vocabulary(url: str, target: Path, expected: str) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    # Under another name first: a pod that starts meanwhile must never read half a file.
    unfinished = target.with_suffix(".part")
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as source, unfinished.open("wb") as sink:  # noqa: S310 - the URL is the recipe's
        while chunk := source.read(_CHUNK_BYTES):
            sink.write(chunk)
    found = sha256_of(unfinished)
    if found != expected:
        unfinished.unlink()
        print(f"{url} has sha256 {found}, expected {expected}", file=sys.stderr)  # noqa: T201 - as above
        return 1
    unfinished.replace(target)
    print(f"{target} is complete", flush=True)  # noqa: T201 - as above
    return 0


if __name__ == "__main__":
    sys.exit(main())
