"""What the tests of `check` share."""

import json
from pathlib import Path
from typing import Any

from tests.cli.command import Answer

EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')


def written(tmp_path: Path, text: str | bytes, name: str = "deploy.yaml") -> Path:
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def findings(answer: Answer, rule: str | None = None) -> list[dict[str, Any]]:
    """Of a report as JSON; of one rule, or all."""
    return [item for item in json.loads(answer.out)["findings"] if rule in {None, item["rule"]}]
