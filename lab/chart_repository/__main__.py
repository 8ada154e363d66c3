"""`python -P -m lab.chart_repository FOLDER`: prints address and authority, ends with its parent.

FOLDER takes key and certificates; the charts are those that LAB_CHARTS names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lab.chart_repository.contents import read_hosts
from lab.chart_repository.proxy import Proxy
from lab.engine_watch import end_with_engine


def main() -> None:
    end_with_engine()
    proxy = Proxy(read_hosts(Path(os.environ["LAB_CHARTS"])), Path(sys.argv[1]))
    print(proxy.address, proxy.authority, flush=True)
    proxy.serve_forever()


if __name__ == "__main__":
    main()
