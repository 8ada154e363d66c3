"""A program in AIPerf's place: it prints what AIPerf prints, and writes the summary of a recorded run."""

from __future__ import annotations

from pathlib import Path

from operations.benchmark.aiperf_output import SUMMARY_FILE

RECORDED = Path(__file__).with_name("recorded") / SUMMARY_FILE
"""Of AIPerf 0.13.0 against Dynamo 1.2.1's frontend and mocker: 128/200, 4 at a time; abridged."""
_PROGRAM = """#!/bin/sh
[ "$1" = --version ] && { echo VERSION; exit; }
echo "$@" >> FOLDER/calls
while [ $# -gt 1 ]; do [ "$1" = --artifact-dir ] && out=$2; shift; done
printf '\\rWarmup: 0/4 |   |   0%% [00:00<?]\\rProfiling: 16/20 |###  | 80%% [00:02<00:01]\\n'
BEHAVIOUR
"""
_ANSWERS = f'cp {RECORDED} "$out/{SUMMARY_FILE}"'


def fake_aiperf(folder: Path, *, version: str = "0.13.0", behaviour: str = _ANSWERS) -> Path:
    """Write the program, which notes its calls in `calls` beside it."""
    file = folder / "aiperf"
    text = _PROGRAM.replace("VERSION", version).replace("FOLDER", str(folder))
    file.write_text(text.replace("BEHAVIOUR", behaviour), encoding="utf-8")
    file.chmod(0o755)
    return file
