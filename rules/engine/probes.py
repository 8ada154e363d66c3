"""Ports and probes of frontends and workers."""

from collections.abc import Iterator, Mapping
from functools import partial

from engines.command_line import Count
from engines.memory import checkpoint_bytes
from resource_graph import ResourceGraph
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.engines.models import read_gpt_oss
from rules.reading.pods.containers import environment_entries, read_environment
from rules.reading.pods.operator_defaults import (
    HANDLERS,
    OPERATORS_PORTS,
    PROBE_TIMES,
    PROBES,
    declared_ports,
    keeps_operators_probes,
    operator_port,
    port_names,
    probed_port,
    written_probe,
)
from rules.reading.pods.pods import (
    FRONTEND_PORT_VARIABLE,
    SYSTEM_PORT_VARIABLE,
    PodTemplate,
)
from rules.reading.pods.reach import loopback_server
from rules.reading.pods.workers import (
    FRONTEND_TYPE,
    Worker,
    frontends_of_pods,
    server_port,
    servers_of,
    workers_of_pods,
)
from rules.reading.shapes import (
    Undecided,
    field,
    known,
    mapping_at,
    text_at,
    whole_number,
    whole_number_at,
)
from rules.rule import POD_TEMPLATES, Advice, Said, Severity, each_of, rule

_HEALTH_PATHS = ("/live", "/health")
"""Paths that frontends and workers answer at their port."""
_OFTEN_MEANT = frozenset({"/healthz", "/livez", "/ready", "/readyz", "/healthcheck"})
"""Paths that servers of other makers answer."""
_PATH_VARIABLES = frozenset(
    {
        "DYN_SYSTEM_HEALTH_PATH",
        "DYN_SYSTEM_LIVE_PATH",
        "DYN_HTTP_SVC_HEALTH_PATH",
        "DYN_HTTP_SVC_LIVE_PATH",
    }
)
# The publisher's recipe says 15 to 30 minutes for 65.2 GB, so this is the fastest that it knows of.
_FASTEST_LOAD_BYTES = 65_200_000_000 / (15 * 60)
_SOONEST_SECONDS = 60
"""Seconds in which no engine has read tens of gigabytes and captured its graphs, from whatever disk."""


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "The kubelet looks the port up by its name. Where it is missing, or the process listens elsewhere, "
        "the liveness probe fails and the container is restarted for ever; so does one that is answered 404, "
        "that asks a server on the pod's loopback address, or that ends a worker before its model can be "
        "loaded (advice from a minute on)."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec, "
        "mergeContainerByName) before and at d50a02f, component_worker.go at 54ba91f, component_frontend.go "
        "at 132ccbe; paths: lib/runtime/src/system_status_server.rs, lib/llm/src/http/service/health.rs"
    ),
    lines=("Dynamo 1.0 to 1.4",),
    fix=(
        "Leave ports, DYN_SYSTEM_PORT and --http-port out; or name a worker's port system (9090) and the "
        "frontend's http (8000), and listen there. Ask for /health or /live. Give a worker a startup probe "
        "of an hour."
    ),
)
def probed_port_named(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """Probe asks a port or path that nothing serves, or ends a worker while it loads."""
    port = operator_port(template)
    at_its_port = _beside_the_server if port is None else partial(_beside_the_operator, port)
    checks = (_unnamed_ports, _ended_while_loading, _out_of_reach, at_its_port)
    return each_of(graph, template, *checks)


def _unnamed_ports(_: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    names = port_names(template)
    for name in PROBES:
        asked = probed_port(written_probe(template, name))
        if isinstance(asked, str) and not asked.isdigit() and asked not in names:
            yield f"{name} asks port {asked} by its name, and no port of the container is called so"


def _beside_the_operator(port: str, graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Each probe that asks another port than the process has, by the manifest's word or the operator's."""
    own = declared_ports(template.main)
    yield from _unserved_paths(graph, template, port)
    keeps = keeps_operators_probes(template)
    if keeps and own and port not in own:
        names = ", ".join(name or "unnamed" for name in own)
        yield (
            f"its own ports ({names}) replace the operator's, and none is called {port}, which the "
            "operator's probes ask"
        )
        return
    asked = dict(_asked_by_number(template, {port: OPERATORS_PORTS[port], **own}))
    if keeps:
        probed = own.get(port, OPERATORS_PORTS[port])
        asked[f"the operator's probes ask port {port}, {probed}"] = probed
    listening = _listening(graph, template, port) if asked else None
    for who, number in asked.items():
        if listening is not None and listening.value != number:
            yield f"listens on {listening.value} ({listening.source}), but {who}"


def _out_of_reach(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """A server that listens on the pod's loopback address alone, where a probe asks the pod's own."""
    _, listens = loopback_server(graph, template) or (None, "")
    probes = [written_probe(template, name) for name in PROBES]
    asking = (
        probed_port(probe) is not None and not any(text_at(probe, handler, "host") for handler in HANDLERS)
        for probe in probes
    )
    # The operator gives a frontend probes.
    if listens and (template.component_type == FRONTEND_TYPE or any(asking)):
        yield f"{listens}, where no probe and no Service reaches it; write 0.0.0.0"


def _beside_the_server(graph: ResourceGraph, template: PodTemplate) -> Iterator[str]:
    """Each probe of a workload's server that asks another port, or a path that it answers with 404."""
    for server in servers_of(graph, template):
        if server.commands[0].given("--data-parallel-supervisor-port", "") is not None:
            # vLLM's supervisor of data-parallel ranks has a port and paths of its own.
            continue
        listening = server_port(server)
        numbers = declared_ports(server.container)
        for name in PROBES:
            probe = mapping_at(server.container, name)
            if (path := text_at(probe, "httpGet", "path")) in _OFTEN_MEANT:
                yield f"its {name} asks for {path}, which the server answers with 404; it serves /health"
            asked = probed_port(probe)
            number = numbers.get(asked) if isinstance(asked, str) and not asked.isdigit() else asked
            if number is not None and whole_number(number, f"the port of its {name}") != listening.value:
                yield f"listens on {listening.value} ({listening.source}), but its {name} asks port {number}"


def _ended_while_loading(graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    """The probe that ends a worker before its model can be loaded."""
    workers = workers_of_pods(graph).get(template, ())
    model = next(filter(None, (known(read_gpt_oss, each) for each in workers)), None)
    startup = written_probe(template, "startupProbe")
    probe = startup or written_probe(template, "livenessProbe")
    # Without one of the manifest, a component has the operator's startup probe, of two hours.
    if not workers or not probe or (not startup and template.shape != "workload"):
        return
    delay, period, failures = (whole_number_at(probe, key) or 0 for key in PROBE_TIMES)
    if min(delay, period, failures) < 0:
        # The API server refuses it.
        return
    budget = delay + (period or 10) * (failures or 3)
    which = "startupProbe" if startup else "livenessProbe, beside no startupProbe,"
    ends = f"its {which} ends it after {budget} s"
    if model is None:
        if budget < _SOONEST_SECONDS:
            yield Undecided(f"{ends}, and nothing says how long its model takes to load")
        return
    needed = checkpoint_bytes(model) / _FASTEST_LOAD_BYTES
    if budget < needed:
        message = f"{ends}, and to load {model.name} takes {needed:.0f} s or more by the publisher's times"
        yield message if budget < _SOONEST_SECONDS else Advice(message)


def _unserved_paths(graph: ResourceGraph, template: PodTemplate, port: str) -> Iterator[str]:
    """Each probe that asks the process for a path which it answers with 404."""
    numbers = {port: OPERATORS_PORTS[port], **declared_ports(template.main)}
    entries = environment_entries(template, template.main)
    # Another program at its port serves paths of its own.
    is_dynamos = any(each.commands for each in workers_of_pods(graph).get(template, ()))
    if not (is_dynamos or _frontend(graph, template)) or any(
        entry.get("name") in _PATH_VARIABLES for entry in entries
    ):
        return
    for name in PROBES:
        probe = written_probe(template, name)
        path, asked = text_at(probe, "httpGet", "path") or "", probed_port(probe)
        plain = path.partition("?")[0].rstrip("/")
        is_meant = plain in _OFTEN_MEANT or slip_of(plain, _HEALTH_PATHS, SLIPS) is not None
        number = numbers.get(asked) if isinstance(asked, str) else asked
        if is_meant and number == _listening(graph, template, port).value:
            yield f"its {name} asks port {asked} for {path}, which answers 404; it serves /health and /live"


def _frontend(graph: ResourceGraph, template: PodTemplate) -> Worker | None:
    return next(iter(frontends_of_pods(graph).get(template, ())), None)


def _asked_by_number(template: PodTemplate, numbers: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Each probe of the manifest that asks for the health of the process, and its port's number."""
    for name in PROBES:
        probe = written_probe(template, name)
        asked = probed_port(probe)
        number = numbers.get(asked) if isinstance(asked, str) else asked
        if field(probe, "httpGet", "path") in _HEALTH_PATHS and isinstance(number, int):
            yield f"its {name} asks port {asked}{'' if asked == number else f', {number}'}", number


def _listening(graph: ResourceGraph, template: PodTemplate, port: str) -> Count:
    is_frontend = template.component_type == FRONTEND_TYPE
    frontend = _frontend(graph, template) if is_frontend else None
    if frontend is not None:
        return server_port(frontend)
    variable = FRONTEND_PORT_VARIABLE if is_frontend else SYSTEM_PORT_VARIABLE
    if all(entry.get("name") != variable for entry in environment_entries(template, template.main)):
        return Count(OPERATORS_PORTS[port], "the operator's own")
    text = read_environment(graph, template, template.main)[variable].value(f"the variable {variable}")
    return Count(whole_number(text, f"the variable {variable}"), variable)
