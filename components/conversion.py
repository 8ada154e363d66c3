"""Whether the operator converts a graph to the version that is not stored, which nobody else does."""

from dataclasses import replace

from components.cluster_answer import Kind
from components.cluster_reader import ClusterReader
from components.dynamo_objects import CONVERSION_SIGN, GRAPH_OBJECTS, GRAPH_VERSIONS


def why_unconverted(cluster: ClusterReader, namespace: str, name: str, kind: Kind = GRAPH_OBJECTS) -> str:
    """Return the API server's words where it has the graph and nobody converts it; empty everywhere else.

    `kind`: of a part of a graph instead.

    Of the two versions one is stored, and only the operator converts to the other. Nobody is asked to convert
    a graph that is gone; a cluster that does not answer is no reason to keep anything.
    """
    for version in GRAPH_VERSIONS:
        why = cluster.ask(replace(kind, version=version), name, namespace).why
        if why:
            return why if CONVERSION_SIGN in why else ""
    return ""
