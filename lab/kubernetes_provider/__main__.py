"""`python -P -m lab.kubernetes_provider ENGINE_ADDRESS`: serves until the engine stops it or is gone."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lab.kubernetes_provider import PLUGIN_VERSION
from lab.provider_service.host import Host
from lab.provider_service.serve import engine_address, serve
from lab.provider_service.service import Service

if TYPE_CHECKING:
    from lab.kubernetes_provider.provider import Provider


def main() -> None:
    # For credentials: private to this user, and gone with this process or with the lab.
    folder = Path(tempfile.mkdtemp(prefix="kubernetes-provider-", dir=os.environ.get("LAB_DIR")))

    def make() -> Provider:
        # The Kubernetes client takes most of a second to import; the engine need not wait for it
        # before it may start the program.
        from lab.kubernetes_provider.provider import Provider  # noqa: PLC0415 - see above

        return Provider(Host(engine_address()), folder)

    serve(
        Service("kubernetes", PLUGIN_VERSION, make), at_end=lambda: shutil.rmtree(folder, ignore_errors=True)
    )


if __name__ == "__main__":
    main()
