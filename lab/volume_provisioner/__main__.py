"""Stand-in for the volume provisioner of a simulated cluster: claims of its classes get (empty) volumes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lab.controller.api import KubernetesApi
from lab.controller.process import argument_parser, run, until_cluster_is_gone, watch_until_stopped
from lab.volume_provisioner.provisioner import Provisioner
from lab.volume_provisioner.volumes import PROVISIONER

if TYPE_CHECKING:
    from lab.controller.process import Session


async def work(session: Session) -> None:
    """Serves claims until signalled, or until the cluster is gone."""
    async with KubernetesApi(session.connection, field_manager=PROVISIONER) as api:
        provisioner = Provisioner(api)
        await watch_until_stopped(
            provisioner.registry(), session, provisioner.work(), until_cluster_is_gone(api)
        )


if __name__ == "__main__":
    sys.exit(run(argument_parser(__doc__).parse_args(), work))
