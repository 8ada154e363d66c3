"""What a stack's state holds where all that its file says is up, for a command that asks no backend."""

import json
from collections.abc import Iterable

from resource_graph import Resource
from stacks.updates.deployed import Deployed, deployed


def state_of(resources: Iterable[Resource]) -> Deployed:
    """Return what exists once all of these do."""
    inputs = {each.urn: {"__inputs": dict(each.inputs)} for each in resources}
    # What only the update knows is of no interest to an update.
    return deployed(json.loads(json.dumps(inputs, default=str)))
