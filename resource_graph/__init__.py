from resource_graph.graph import Aspect, DuplicateResourceError, RecordingError, ResourceGraph
from resource_graph.resource import CustomTimeouts, Origin, Resource
from resource_graph.values import UNKNOWN, Path, Unknown, Value, has_unknown, value_at

__all__ = [
    "UNKNOWN",
    "Aspect",
    "CustomTimeouts",
    "DuplicateResourceError",
    "Origin",
    "Path",
    "RecordingError",
    "Resource",
    "ResourceGraph",
    "Unknown",
    "Value",
    "has_unknown",
    "value_at",
]
