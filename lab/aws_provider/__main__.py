"""`python -P -m lab.aws_provider ENGINE_ADDRESS`: serves until the engine stops it or is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.aws_provider import PLUGIN_VERSION
from lab.provider_service.serve import serve
from lab.provider_service.service import Service

if TYPE_CHECKING:
    from lab.aws_provider.provider import Provider


def main() -> None:
    def make() -> Provider:
        # botocore takes half a second to import; the engine need not wait for it.
        from lab.aws_provider.provider import Provider  # noqa: PLC0415 - see above

        return Provider()

    serve(Service("aws", PLUGIN_VERSION, make))


if __name__ == "__main__":
    main()
