"""Stand-in for NVIDIA's DRA driver of a simulated cluster: compute domains and their channels."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi
from lab.controller.process import argument_parser, run, until_cluster_is_gone, watch_until_stopped
from lab.dra_driver.driver import Driver
from lab.dra_driver.slices import DRIVER

if TYPE_CHECKING:
    from lab.controller.process import Session


async def work(session: Session) -> None:
    """Serves compute domains until signalled, or until the cluster is gone."""
    async with KubernetesApi(session.connection, field_manager=DRIVER) as api:
        driver = Driver(api)
        await watch_until_stopped(driver.registry(), session, driver.work(), until_cluster_is_gone(api))


if __name__ == "__main__":
    sys.exit(run(argument_parser(__doc__).parse_args(), work))
