"""What stands in for the image of a benchmark Job: the real AIPerf, which nobody downloads a second time.

`site/` is first on PYTHONPATH of every Python process of such a container. Its `pip` installs what this
machine has, and the `aiperf` that it installs sends from as many processes as this machine bears. The lab
imports nothing of `site/`.
"""

from pathlib import Path

SITE = Path(__file__).with_name("site")
"""The folder for PYTHONPATH."""
