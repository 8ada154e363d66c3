"""The Dynamo runtime for the lab's pods: the real wheel.

The wheel holds the frontend, the workers' entry points and the mock engine, and needs no GPU.
"""

from __future__ import annotations

from lab.directory import REPOSITORY
from lab.toolchain.packages import PublishedProgram

RUNTIME = PublishedProgram(
    title="the Dynamo runtime",
    # The release line of the recipes' images.
    requirement="ai-dynamo==1.2.1",
    lock=REPOSITORY / "lab" / "runtime_image" / "requirements.txt",
    # Those that the wheel is built for (https://pypi.org/project/ai-dynamo/1.2.1).
    pythons=((3, 12), (3, 11), (3, 10)),
    size="550 MB",
    usual_seconds=40,
    without=(
        "running the command again resumes; "
        "`make lab-up PODS=simulated` brings pods up that no process is behind"
    ),
)
