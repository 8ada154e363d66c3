"""A process that has loaded the packages of providers and policy packs, and forks for each run of the engine.

Loading packages is half of the processor time of a `pulumi up`.
"""

from __future__ import annotations

import sys
from pathlib import Path

LAUNCHER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py")))
"""Before a command of Python: it runs in a fork where there is a fork server, else by itself."""
