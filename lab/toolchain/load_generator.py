"""AIPerf for the lab's benchmark Jobs: the real program, in the version that the recipes pin."""

from __future__ import annotations

import re

from lab.directory import REPOSITORY
from lab.toolchain.packages import PublishedProgram

_LOCK = REPOSITORY / "lab" / "benchmark_image" / "requirements.txt"
_LOCKED = re.compile(r"^aiperf=\S+", re.MULTILINE)

LOAD_GENERATOR = PublishedProgram(
    title="AIPerf",
    requirement=_LOCKED.findall(_LOCK.read_text(encoding="utf-8"))[0],
    lock=_LOCK,
    # https://pypi.org/project/aiperf/0.13.0; the image of the Job has 3.12.
    pythons=((3, 12), (3, 11), (3, 13)),
    size="840 MB",
    usual_seconds=40,
    without="the next attempt resumes; everything but benchmark Jobs does without it",
)
