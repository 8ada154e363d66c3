"""The port that the operator probes has the name and the number that it looks for."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.tensorrt_llm import Count
from rules.reading.pods.component_types import (
    FRONTEND_PORT_FLAG,
    FRONTEND_PORT_VARIABLE,
    SYSTEM_PORT_VARIABLE,
)
from rules.reading.pods.containers import read_environment
from rules.reading.pods.frontends import FRONTEND_TYPE, Frontend, read_frontends
from rules.reading.pods.pods import PodTemplate, check_pods
from rules.reading.pods.probes import OperatorPort, keeps_operators_probes, operator_port, own_ports
from rules.reading.pods.workers import environment_lists
from rules.reading.shapes import Undecided, whole_number


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    frontends = {
        frontend.template: frontend for frontend in read_frontends(graph) if isinstance(frontend, Frontend)
    }
    return check_pods(graph, lambda template: _check_template(graph, template, frontends.get(template)))


def _check_template(
    graph: ResourceGraph, template: PodTemplate, frontend: Frontend | None
) -> Iterator[Observation]:
    port = operator_port(template)
    if port is None or not keeps_operators_probes(template):
        return
    own = own_ports(template)
    if own and port.name not in own:
        names = ", ".join(name or "unnamed" for name in own)
        yield failed(
            template.resource,
            template.name,
            f"its own ports ({names}) replace the operator's, and none is called {port.name}, which the "
            "operator's probes ask",
        )
        return
    probed = own.get(port.name, port.number)
    listening = _listening(graph, template, port, frontend)
    if listening.value != probed:
        yield failed(
            template.resource,
            template.name,
            f"listens on {listening.value} ({listening.source}), but the operator's probes ask port "
            f"{port.name}, {probed}",
        )


def _listening(
    graph: ResourceGraph, template: PodTemplate, port: OperatorPort, frontend: Frontend | None
) -> Count:
    if template.component_type != FRONTEND_TYPE:
        return _of_variable(graph, template, SYSTEM_PORT_VARIABLE, port)
    flag = None if frontend is None else frontend.flags.value(FRONTEND_PORT_FLAG)
    if flag is not None:
        return Count(whole_number(flag, FRONTEND_PORT_FLAG), FRONTEND_PORT_FLAG)
    return _of_variable(graph, template, FRONTEND_PORT_VARIABLE, port)


def _of_variable(graph: ResourceGraph, template: PodTemplate, variable: str, port: OperatorPort) -> Count:
    lists = environment_lists(template, template.main)
    if not any(entry.get("name") == variable for entries in lists for entry in entries):
        return Count(port.number, "the operator's own")
    word = read_environment(graph, template.resource, lists)[variable]
    if not word.known:
        raise Undecided(f"the value of the variable {variable} is unknown")
    return Count(whole_number(word.text, f"the variable {variable}"), variable)


RULE = Rule(
    id="probed-port-named",
    title="The operator's probes find the port that they ask for",
    severity=Severity.MANDATORY,
    reason=(
        "The kubelet looks the port up by its name. Where it is missing, or the process listens elsewhere, "
        "the liveness probe fails and the container is restarted for ever."
    ),
    source=(
        "ai-dynamo/dynamo deploy/operator/internal/dynamo: graph.go (GenerateBasePodSpec), "
        "component_worker.go at 54ba91f, component_frontend.go at 132ccbe"
    ),
    lines=("Dynamo 1.2",),
    fix=(
        "Leave ports, DYN_SYSTEM_PORT and --http-port out; or name a worker's port system (9090) and the "
        "frontend's http (8000), and listen there."
    ),
    check=_check,
)
