"""`python -P -m lab.kubernetes_provider ENGINE_ADDRESS`: serves until the engine stops it or is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.kubernetes_provider import PLUGIN_VERSION, private_files
from lab.provider_service.host import Host
from lab.provider_service.serve import engine_address, serve
from lab.provider_service.service import Service

if TYPE_CHECKING:
    from lab.kubernetes_provider.provider import Provider


def main() -> None:
    folder = private_files.create()

    def make() -> Provider:
        # The Kubernetes client takes most of a second to import; the engine need not wait for it
        # before it may start the program.
        from lab.kubernetes_provider.provider import Provider  # noqa: PLC0415 - see above

        return Provider(Host(engine_address()), folder)

    serve(Service("kubernetes", PLUGIN_VERSION, make), at_end=lambda: private_files.remove(folder))


if __name__ == "__main__":
    main()
