"""A stand-in that is ready as soon as its file is there, and ends with its input."""

import sys
from pathlib import Path

from lab.controller.process import say_ready

Path("toy").touch()
say_ready()
sys.stdin.read()
