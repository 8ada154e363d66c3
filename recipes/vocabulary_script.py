"""Put the tokenizer vocabulary on the model cache; runs inside the download Job.

Its text is the Job's command and nothing of this project is installed there, so it imports the standard
library alone. Running it again downloads nothing unless the file is missing or damaged.
"""

import hashlib
import os
import sys
import urllib.request
from pathlib import Path

_CHUNK_BYTES = 1 << 20
_TIMEOUT_SECONDS = 60


def main() -> int:
    """Return the exit code: 0 when the file is there with the expected content."""
    target = Path(os.environ["VOCABULARY_FILE"])
    expected = os.environ["VOCABULARY_SHA256"]
    if target.exists() and sha256_of(target) == expected:
        print(f"{target} is there already")
        return 0
    return _download(os.environ["VOCABULARY_URL"], target, expected)


def sha256_of(file: Path) -> str:
    """Return the file's SHA-256 as hexadecimal digits."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _download(url: str, target: Path, expected: str) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    # Under another name first: a pod that starts meanwhile must never read half a file.
    unfinished = target.with_suffix(".part")
    # The URL is the recipe's own, never a user's.
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as source, unfinished.open("wb") as sink:  # noqa: S310
        while chunk := source.read(_CHUNK_BYTES):
            sink.write(chunk)
    found = sha256_of(unfinished)
    if found != expected:
        unfinished.unlink()
        print(f"{url} has sha256 {found}, expected {expected}", file=sys.stderr)
        return 1
    unfinished.replace(target)
    print(f"{target} is complete")
    return 0


if __name__ == "__main__":
    sys.exit(main())
