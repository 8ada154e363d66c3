"""Which pods a Service selects, and whose server nobody outside of the pod reaches."""

from collections.abc import Sequence

from engines.command_line import Setting
from engines.tensorrt_llm.keys import TRTLLM_SERVE_ALIKE
from resource_graph import Resource, ResourceGraph
from rules.reading.commands.container_commands import DYNAMO_FRONTEND, TRTLLM_SERVE
from rules.reading.pods.containers import read_image
from rules.reading.pods.pod_affinity import selects
from rules.reading.pods.pods import PodTemplate, gets_containers, pods_near
from rules.reading.pods.workers import Worker, frontends_of_pods, server_port, servers_of
from rules.reading.shapes import known, mapping_at, mappings_at, memoized, text_at

_HOST = "--host"
_FRONTEND_HOST = "--http-host"
_FRONTEND_HOST_VARIABLE = "DYN_HTTP_HOST"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OTHER_SERVERS = frozenset({"disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve"})
"""Further commands of trtllm-serve."""


@memoized
def loopback_server(graph: ResourceGraph, template: PodTemplate) -> tuple[int, str] | None:
    """Port and address, for a message, of a pod's server that other pods and the kubelet do not reach.

    None where it is reached, or where another container may hand requests on to it.
    """
    if gets_containers(template):
        # The proxy of a mesh may hand requests on to any address.
        return None
    beside = (each for each in mappings_at(template.spec, "initContainers") if text_at(each, "restartPolicy"))
    if len(template.containers) != 1 or any(beside):
        return None
    for server in (*servers_of(graph, template), *frontends_of_pods(graph).get(template, ())):
        host, port = known(_host, server), known(server_port, server)
        if host is not None and port is not None and host.value in _LOOPBACK:
            return port.value, f"listens on {host.value} alone ({host.source})"
    return None


def selected_pods(graph: ResourceGraph, service: Resource) -> Sequence[PodTemplate]:
    """The pods that a Service selects; none for one without a selector."""
    labels = mapping_at(service.inputs, "spec", "selector")
    pods = pods_near(graph, service.namespace) if labels else ()
    return [pod for pod in pods if selects({"matchLabels": labels}, pod) is not False]


def _host(server: Worker) -> Setting | None:
    command = server.commands[0]
    is_frontend = command.engine == DYNAMO_FRONTEND
    given = command.given(*((_FRONTEND_HOST, _FRONTEND_HOST_VARIABLE) if is_frontend else (_HOST, "")))
    if given is not None or command.engine != TRTLLM_SERVE:
        return given
    image = read_image(server.container)
    first, last = TRTLLM_SERVE_ALIKE
    is_read = image is not None and image.line is not None and first <= image.line <= last
    is_other = any(word.text in _OTHER_SERVERS for word in command.arguments[:1])
    return Setting("localhost", f"the default of {_HOST}") if is_read and not is_other else None
