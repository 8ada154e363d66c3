"""A process that has loaded the packages that every run of the engine needs, and forks for each run.

One `pulumi up` starts five Python processes, and loading their packages is half of its processor time.
"""

from __future__ import annotations

import sys
from pathlib import Path

LAUNCHER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py")))
"""Before a command of Python: it runs in a fork where there is a fork server, else by itself."""
