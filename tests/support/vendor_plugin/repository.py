"""The charts' repositories: prints address and authority, and ends with its parent.

The folder that it is given takes key and certificates; the charts are those that LAB_CHARTS names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lab.engine_watch import end_with_engine
from tests.support.vendor_plugin.charts import read_hosts
from tests.support.vendor_plugin.proxy import Proxy


def main() -> None:
    end_with_engine()
    proxy = Proxy(read_hosts(Path(os.environ["LAB_CHARTS"])), Path(sys.argv[1]))
    print(proxy.address, proxy.authority, flush=True)
    proxy.serve_forever()


if __name__ == "__main__":
    main()
