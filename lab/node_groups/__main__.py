"""Stand-in for the instances of EKS node groups: nodes of the simulated cluster, by the account's store."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi
from lab.controller.process import argument_parser, run, until_cluster_is_gone
from lab.directory import LabDirectory
from lab.node_groups.membership import Membership

if TYPE_CHECKING:
    from lab.controller.process import Session


def main() -> int:
    """Runs until signalled, or until the cluster is gone."""
    parser = argument_parser(__doc__)
    parser.add_argument("--lab-dir", type=Path, required=True)
    arguments = parser.parse_args()
    store = LabDirectory(arguments.lab_dir).cloud / "store.json"

    async def work(session: Session) -> None:
        async with KubernetesApi(session.connection, field_manager="eks-node-groups") as api:
            ends = (Membership(api, store).work(), until_cluster_is_gone(api))
            tasks = [asyncio.ensure_future(each) for each in (asyncio.wrap_future(session.stop), *ends)]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for task in done:
                task.result()

    return run(arguments, work)


if __name__ == "__main__":
    sys.exit(main())
