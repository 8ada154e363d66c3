import datetime as dt
import sys
from pathlib import Path

# First on the path: the program under test may have its own package called `rules` or `policy`.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pulumi_policy import PolicyPack

from policy.pack import policies

PolicyPack(name="dynamo-stack", policies=policies(today=dt.datetime.now(dt.UTC).date()))
