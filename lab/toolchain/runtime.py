"""The Dynamo runtime for the lab's pods: the real wheels, one of each line of the platform.

A wheel holds the frontend, the workers' entry points and the mock engine, and needs no GPU.
"""

from __future__ import annotations

from lab.directory import REPOSITORY
from lab.toolchain.packages import PublishedProgram

_IMAGE = REPOSITORY / "lab" / "runtime_image"


def _runtime(release: str, size: str) -> PublishedProgram:
    line = release.rpartition(".")[0]
    return PublishedProgram(
        title="the Dynamo runtime",
        requirement=f"ai-dynamo=={release}",
        lock=_IMAGE / f"requirements-{line}.txt",
        # Those that the wheels are built for (https://pypi.org/project/ai-dynamo).
        pythons=((3, 12), (3, 11), (3, 10)),
        size=size,
        usual_seconds=40,
        without=(
            "running the command again resumes; "
            "`make lab-up PODS=simulated` brings pods up that no process is behind"
        ),
    )


RUNTIME = _runtime("1.2.1", "550 MB")
"""Behind every pod whose image names no later line: there before the first pod."""
LATER_RUNTIMES = {"1.4": _runtime("1.4.2", "450 MB")}
"""By line: installed when the first pod of an image of that line starts."""
