"""What a stack's state holds where all that its file says is up, for a command that asks no backend."""

import json

from resource_graph import ResourceGraph
from stacks.updates.deployed import Deployed, deployed


def state_of(graph: ResourceGraph) -> Deployed:
    """Return what exists once everything in the graph does."""
    resources = {each.urn: {"__inputs": dict(each.inputs)} for each in graph}
    # What only the update knows is of no interest to an update.
    return deployed(json.loads(json.dumps(resources, default=str)))
