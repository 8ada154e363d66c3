"""`aiperf` in a container of the lab, with as many processes as this machine bears.

The Job's numbers are for the 8 processors and 24Gi that its pod asks for, which nobody gives it here.
"""

from __future__ import annotations

import os
import sys

_OPTIONS = {"--workers-max": 2, "--record-processors": 1}
"""Option -> processes for each processor of this machine."""
_CONNECTIONS = "AIPERF_HTTP_CONNECTION_LIMIT"
"""Of one process that sends; together they may open as many as before."""


def sized(words: list[str], processors: int, connections: int) -> tuple[list[str], int]:
    """Return the command line and the connections of a sending process, on so many processors."""
    smaller = list(words)
    for option, each in _OPTIONS.items():
        if option not in words:
            continue
        place = words.index(option) + 1
        asked, given = int(words[place]), min(int(words[place]), each * processors)
        smaller[place] = str(given)
        if option == "--workers-max":
            connections = connections * asked // given
    return smaller, connections


def main() -> None:
    """Say what is different from what was asked for, and run AIPerf."""
    # Here, not above: it loads for seconds, and the tests need it not.
    from aiperf.cli import app  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    processors = len(os.sched_getaffinity(0))
    words, connections = sized(sys.argv[1:], processors, int(os.environ.get(_CONNECTIONS, "0")))
    if words != sys.argv[1:]:
        changed = {option: words[words.index(option) + 1] for option in _OPTIONS if option in words}
        said = ", ".join(f"{option} {number}" for option, number in changed.items())
        print(f"lab: processors here: {processors}, so {said}", file=sys.stderr, flush=True)
    if connections:
        os.environ[_CONNECTIONS] = str(connections)
    sys.argv = ["aiperf", *words]
    sys.exit(app())


if __name__ == "__main__":
    main()
