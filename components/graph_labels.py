"""Labels by which a graph's pods are found, as Dynamo's operator sets them.

ai-dynamo/dynamo deploy/operator/internal/consts/consts.go.
"""

GRAPH_NAME = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT_TYPE = "nvidia.com/dynamo-component-type"
FRONTEND = "frontend"
FRONTEND_PORT = 8000

USES_PLATFORM = "uses-dynamo-platform"
"""Of this project, on a namespace whose pods the NATS and etcd servers of the platform named there admit."""


def frontend_labels(graph_name: str) -> dict[str, str]:
    """Return the labels of a graph's frontend pods."""
    return {GRAPH_NAME: graph_name, COMPONENT_TYPE: FRONTEND}
