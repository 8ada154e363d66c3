"""dynamo.mocker, which ends in the order in which workers of dynamo.trtllm end.

The mocker by itself takes its endpoint away at once, so that a request on its way to it fails. Workers of
dynamo.trtllm leave discovery first, serve on for DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS, and break off what
is left then. Here the seconds are fewer, and what is left is answered to its end.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

_SECONDS = 2.0
"""In place of the pod's own 60 or 90: time for what was on its way, and no longer than a lab has to wait."""


def main() -> None:
    """Serve until a signal."""
    from dynamo.common.utils.graceful_shutdown import (  # noqa: PLC0415  # pyright: ignore[reportMissingImports]
        graceful_shutdown_with_discovery,
    )
    from dynamo.mocker import main as mocker  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    endpoint = sys.argv[sys.argv.index("--endpoint") + 1].removeprefix("dyn://")

    async def end(runtimes: list[Any]) -> None:
        await asyncio.gather(
            *(
                graceful_shutdown_with_discovery(each, [each.endpoint(endpoint)], grace_period_s=_SECONDS)
                for each in runtimes
            )
        )

    mocker.graceful_shutdown = end
    mocker.main()


if __name__ == "__main__":
    main()
