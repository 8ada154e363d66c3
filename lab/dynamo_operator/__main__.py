"""Stand-in for the Dynamo operator of a simulated cluster; works only while its release is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi
from lab.controller.process import argument_parser, run, until_cluster_is_gone, watch_until_stopped
from lab.dynamo_operator.operator import Operator
from lab.dynamo_operator.switches import Switches

if TYPE_CHECKING:
    from lab.controller.process import Session


def main() -> int:
    """Runs until signalled, or until the cluster is gone."""
    parser = argument_parser(__doc__)
    parser.add_argument("--lab-dir", type=Path, required=True)
    arguments = parser.parse_args()

    async def work(session: Session) -> None:
        async with KubernetesApi(session.connection, field_manager="dynamo-operator") as api:
            operator = Operator(api, Switches(arguments.lab_dir))
            await watch_until_stopped(
                operator.registry(), session, operator.supervise(), until_cluster_is_gone(api)
            )

    return run(arguments, work)


if __name__ == "__main__":
    sys.exit(main())
