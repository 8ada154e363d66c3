"""Ports and probes of frontends and workers."""

from collections.abc import Iterator, Mapping

from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.memoized import memoized
from rules.reading.pods.containers import environment_entries, read_environment
from rules.reading.pods.operator_defaults import (
    HANDLERS,
    PROBES,
    OperatorPort,
    is_merged,
    keeps_operators_probes,
    operator_port,
    own_ports,
    probed_port,
    written_probe,
)
from rules.reading.pods.pods import (
    FRONTEND_PORT_FLAG,
    FRONTEND_PORT_VARIABLE,
    SYSTEM_PORT_VARIABLE,
    PodTemplate,
    readable,
)
from rules.reading.pods.workers import FRONTEND_TYPE, Frontend, read_frontends, read_workers
from rules.reading.shapes import Count, field, text_at, whole_number
from rules.reading.spelling import slip_of
from rules.rule import rule
from rules.subjects import POD_TEMPLATES


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "The API server refuses the pod: may not specify more than 1 handler type. An operator before 1.2 "
        "merges its own httpGet into a livenessProbe or readinessProbe of the main container; later ones "
        "leave the probe as it is written."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo/graph.go (GenerateBasePodSpec, "
        "mergeContainerByName) before and at d50a02f"
    ),
    lines=("Dynamo 1.1", "Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Leave one handler; before 1.2 put the whole probe at the service's livenessProbe or readinessProbe, "
        "beside extraPodSpec, which replaces the operator's."
    ),
)
def one_probe_handler(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """A probe of a graph's container asks in one way only."""
    for name in PROBES:
        probe = written_probe(template, name)
        handlers = [handler for handler in HANDLERS if probe.get(handler) is not None]
        if len(handlers) > 1:
            yield f"{name} of the main container has {' and '.join(handlers)}: two handlers"
        elif handlers and handlers[0] != HANDLERS[0]:
            port = operator_port(template)
            if port is not None and is_merged(graph, template, name):
                yield (
                    f"{name} of the main container has {handlers[0]}, and an operator before 1.2 adds its "
                    f"httpGet on port {port.name}: two handlers"
                )


_HEALTH_PATHS = ("/live", "/health")
"""Paths that frontends and workers answer at their port."""
_OTHER_PATHS = ("/metrics", "/metadata", "/engine/", "/v1/")
"""Paths that workers serve beside these (lib/runtime/src/system_status_server.rs), with or without LoRA."""
_OFTEN_MEANT = frozenset({"/healthz", "/livez", "/ready", "/readyz", "/healthcheck"})
"""Paths that servers of other makers answer, and no frontend."""
_SLIPS = 2
_PATH_VARIABLES = frozenset(
    {
        "DYN_SYSTEM_HEALTH_PATH",
        "DYN_SYSTEM_LIVE_PATH",
        "DYN_HTTP_SVC_HEALTH_PATH",
        "DYN_HTTP_SVC_LIVE_PATH",
    }
)
_OF_THE_OPERATOR = frozenset({"http", "system", "nixl"})
"""Names of the ports that the operator gives containers without ports of their own."""


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "The kubelet looks the port up by its name. Where it is missing, or the process listens elsewhere, "
        "the liveness probe fails and the container is restarted for ever; so does one that is answered 404."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec), "
        "component_worker.go at 54ba91f, component_frontend.go at 132ccbe; paths: "
        "lib/runtime/src/system_status_server.rs, lib/llm/src/http/service/health.rs"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Leave ports, DYN_SYSTEM_PORT and --http-port out; or name a worker's port system (9090) and the "
        "frontend's http (8000), and listen there. Ask for /health or /live."
    ),
)
def probed_port_named(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Probes find the port and the path that they ask for."""
    port = operator_port(template)
    if port is None:
        return
    own = own_ports(template)
    for name in PROBES:
        asked = probed_port(written_probe(template, name))
        if isinstance(asked, str) and not asked.isdigit() and asked not in (own or _OF_THE_OPERATOR):
            yield f"{name} asks port {asked} by its name, and no port of the container is called so"
    yield from _unserved_paths(graph, template, port)
    keeps = keeps_operators_probes(template)
    if keeps and own and port.name not in own:
        names = ", ".join(name or "unnamed" for name in own)
        yield (
            f"its own ports ({names}) replace the operator's, and none is called {port.name}, which the "
            "operator's probes ask"
        )
        return
    asked = dict(_asked_by_number(template))
    if keeps:
        probed = own.get(port.name, port.number)
        asked[f"the operator's probes ask port {port.name}, {probed}"] = probed
    if not asked:
        return
    listening = _listening(graph, template, port)
    for who, number in asked.items():
        if listening.value != number:
            yield f"listens on {listening.value} ({listening.source}), but {who}"


def _unserved_paths(graph: ResourceGraph, template: PodTemplate, port: OperatorPort) -> Iterator[str]:
    """Each probe whose path the process answers with 404."""
    frontend = _frontends(graph).get(template)
    asked = {name: path for name in PROBES if (path := _unserved(template, name, frontend)) is not None}
    entries = environment_entries(template, template.main)
    if not asked or any(entry.get("name") in _PATH_VARIABLES for entry in entries):
        return
    # Another program at its port serves paths of its own.
    if frontend is None and template not in _workers_of_dynamo(graph):
        return
    listening = _listening(graph, template, port).value
    numbers = {port.name: port.number, **own_ports(template)}
    for name, path in asked.items():
        where = probed_port(written_probe(template, name))
        if (numbers.get(where) if isinstance(where, str) else where) == listening:
            yield f"its {name} asks port {where} for {path}, which answers 404; it serves /health and /live"


def _unserved(template: PodTemplate, name: str, frontend: Frontend | None) -> str | None:
    """Path of the probe, where the process is known not to serve the path; else None."""
    path = text_at(written_probe(template, name), "httpGet", "path")
    plain = (path or "").partition("?")[0].rstrip("/")
    if not plain or plain in _HEALTH_PATHS or plain.startswith(_OTHER_PATHS):
        return None
    if template.component_type != FRONTEND_TYPE:
        return path
    # A frontend has many paths, and each release further ones.
    is_slip = frontend is not None and slip_of(plain, _HEALTH_PATHS, _SLIPS) is not None
    return path if is_slip or (frontend is not None and plain in _OFTEN_MEANT) else None


@memoized
def _frontends(graph: ResourceGraph) -> Mapping[PodTemplate, Frontend]:
    return {each.template: each for each in readable(read_frontends(graph))}


@memoized
def _workers_of_dynamo(graph: ResourceGraph) -> frozenset[PodTemplate]:
    workers = readable(read_workers(graph))
    starts = ((each.template, command.engine) for each in workers for command in each.commands)
    return frozenset(template for template, engine in starts if engine.startswith("dynamo."))


def _asked_by_number(template: PodTemplate) -> Iterator[tuple[str, int]]:
    """Each probe of the manifest that asks for the health of the process at a port number."""
    for name in PROBES:
        probe = written_probe(template, name)
        asked = probed_port(probe)
        if field(probe, "httpGet", "path") in _HEALTH_PATHS and isinstance(asked, int):
            yield f"its {name} asks port {asked}", asked


def _listening(graph: ResourceGraph, template: PodTemplate, port: OperatorPort) -> Count:
    if template.component_type != FRONTEND_TYPE:
        return _of_variable(graph, template, SYSTEM_PORT_VARIABLE, port)
    frontend = _frontends(graph).get(template)
    flag = None if frontend is None else frontend.command.flags.value(FRONTEND_PORT_FLAG)
    if flag is not None:
        return Count(whole_number(flag, FRONTEND_PORT_FLAG), FRONTEND_PORT_FLAG)
    return _of_variable(graph, template, FRONTEND_PORT_VARIABLE, port)


def _of_variable(graph: ResourceGraph, template: PodTemplate, variable: str, port: OperatorPort) -> Count:
    if all(entry.get("name") != variable for entry in environment_entries(template, template.main)):
        return Count(port.number, "the operator's own")
    text = read_environment(graph, template, template.main)[variable].value(f"the variable {variable}")
    return Count(whole_number(text, f"the variable {variable}"), variable)
