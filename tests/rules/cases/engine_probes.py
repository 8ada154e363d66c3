"""Probes of the pods of a graph, and the ports that they ask."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import put
from tests.rules.serving_edits import (
    FRONTEND,
    GRAPH,
    WORKER,
    command,
    main,
    of_service,
    variable,
)

HANDLER = "one-probe-handler"
PORT = "probed-port-named"
_EXEC = {"exec": {"command": ["true"]}}
_LIVE = {"httpGet": {"path": "/live", "port": 9090}}
_RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"
_OLDER = tuple(main(service, "image", f"{_RUNTIME}:1.1.1") for service in (WORKER, FRONTEND))
_OWN_PROBES = (
    main(WORKER, "ports", [{"name": "metrics", "containerPort": 9090}]),
    of_service(WORKER, "livenessProbe", _LIVE),
    of_service(WORKER, "readinessProbe", {"httpGet": {"path": "/health", "port": 9090}}),
)
_WORKER = "spec.components[1]"
_VLLM_MAIN = f"{_WORKER}.podTemplate.spec.containers[0]"

CASES = (
    Case(
        HANDLER,
        "a command beside the request of an older operator",
        "agg-gb200",
        (*_OLDER, main(WORKER, "livenessProbe", _EXEC)),
        failed(HANDLER, WORKER),
        ("livenessProbe of the main container has exec, and an operator before 1.2 adds its httpGet",),
    ),
    Case(
        HANDLER,
        "a socket beside the request of an older operator",
        "agg-gb200",
        (*_OLDER, main(FRONTEND, "readinessProbe", {"tcpSocket": {"port": 8000}})),
        failed(HANDLER, FRONTEND),
        ("readinessProbe of the main container has tcpSocket", "on port http"),
    ),
    Case(
        HANDLER,
        "a command, which since 1.2 takes the place of the operator's request",
        "agg-gb200",
        (main(WORKER, "livenessProbe", _EXEC), main(FRONTEND, "readinessProbe", _EXEC)),
        frozenset(),
    ),
    Case(
        HANDLER,
        "a command under an operator of which nothing is said",
        "agg-gb200",
        (
            main(WORKER, "image", "my-registry/worker:my-tag"),
            main(FRONTEND, "image", "my-registry/frontend:my-tag"),
            main(WORKER, "livenessProbe", _EXEC),
        ),
        undecided(HANDLER, WORKER),
        ("nothing says of which release the operator is",),
    ),
    Case(
        HANDLER,
        "a command beside a request of one's own, in the probe of the start",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM_MAIN}.startupProbe", {**_EXEC, **_LIVE}),),
        failed(HANDLER, "VllmWorker"),
        ("startupProbe of the main container has httpGet and exec: two handlers",),
    ),
    Case(
        HANDLER,
        "a command instead of the operator's request, and one that delays the others",
        "agg-gb200",
        (of_service(WORKER, "livenessProbe", _EXEC), main(WORKER, "startupProbe", _EXEC)),
        frozenset(),
    ),
    Case(
        PORT,
        "ports that replace the one that is probed",
        "agg-gb200",
        (main(WORKER, "ports", [{"name": "metrics", "containerPort": 9090}]),),
        failed(PORT, WORKER),
        ("its own ports (metrics) replace the operator's, and none is called system",),
    ),
    Case(
        PORT,
        "a frontend that listens elsewhere",
        "agg-gb200",
        (command(FRONTEND, "--http-port 8000", "--http-port 8080"),),
        failed(PORT, FRONTEND),
        ("listens on 8080 (--http-port), but the operator's probes ask port http, 8000",),
    ),
    Case(
        PORT,
        "a worker that listens elsewhere",
        "agg-gb200",
        (variable(WORKER, "DYN_SYSTEM_PORT", "8081"),),
        failed(PORT, WORKER),
        ("listens on 8081 (DYN_SYSTEM_PORT), but the operator's probes ask port system, 9090",),
    ),
    Case(
        PORT,
        "a frontend that listens elsewhere and says so",
        "agg-gb200",
        (
            command(FRONTEND, "--http-port 8000", "--http-port 8080"),
            main(FRONTEND, "ports", [{"name": "http", "containerPort": 8080}]),
        ),
        frozenset(),
    ),
    Case(
        PORT,
        "two probes that ask another port, and the operator's third, of the start",
        "agg-gb200",
        _OWN_PROBES,
        failed(PORT, WORKER),
        ("none is called system",),
    ),
    Case(
        PORT,
        "three probes that ask another port",
        "agg-gb200",
        (*_OWN_PROBES, main(WORKER, "startupProbe", _LIVE)),
        frozenset(),
    ),
    Case(
        PORT,
        "a probe of the start that asks where nothing listens",
        "agg-gb200",
        (main(WORKER, "startupProbe", {"httpGet": {"path": "/live", "port": 8081}}),),
        failed(PORT, WORKER),
        ("listens on 9090 (the operator's own), but its startupProbe asks port 8081",),
    ),
    Case(
        PORT,
        "a probe of the start that asks a name that no port has",
        "vllm-agg",
        (put(GRAPH, f"{_VLLM_MAIN}.startupProbe", {"httpGet": {"path": "/live", "port": "health"}}),),
        failed(PORT, "VllmWorker"),
        ("startupProbe asks port health by its name, and no port of the container is called so",),
    ),
    Case(
        PORT,
        "a port that is no number",
        "agg-gb200",
        (variable(WORKER, "DYN_SYSTEM_PORT", "high"),),
        undecided(PORT, WORKER),
        ("the variable DYN_SYSTEM_PORT is 'high'",),
    ),
    Case(
        PORT,
        "a path with a slip, at the operator's port",
        "agg-gb200",
        (of_service(WORKER, "readinessProbe", {"httpGet": {"path": "/helth", "port": 9090}}),),
        failed(PORT, WORKER),
        ("its readinessProbe asks port 9090 for /helth, which answers 404; it serves /health and /live",),
    ),
    Case(
        PORT,
        "a path of other servers, of a worker's port by its name and of a frontend",
        "agg-gb200",
        (
            main(WORKER, "startupProbe", {"httpGet": {"path": "/ready", "port": "system"}}),
            of_service(FRONTEND, "livenessProbe", {"httpGet": {"path": "/healthz", "port": 8000}}),
        ),
        failed(PORT, WORKER, FRONTEND),
        ("asks port system for /ready", "asks port 8000 for /healthz"),
    ),
    Case(
        PORT,
        "other paths that workers and frontends serve",
        "agg-gb200",
        (
            main(WORKER, "startupProbe", {"httpGet": {"path": "/metrics", "port": 9090}}),
            of_service(WORKER, "readinessProbe", {"httpGet": {"path": "/engine/status", "port": 9090}}),
            of_service(FRONTEND, "livenessProbe", {"httpGet": {"path": "/openapi.json", "port": 8000}}),
        ),
        frozenset(),
    ),
    Case(
        PORT,
        "a path of another server of the pod",
        "agg-gb200",
        (main(WORKER, "startupProbe", {"httpGet": {"path": "/ready", "port": 8080}}),),
        frozenset(),
    ),
    Case(
        PORT,
        "a path that a variable gives the worker",
        "agg-gb200",
        (
            variable(WORKER, "DYN_SYSTEM_HEALTH_PATH", "/ready"),
            of_service(WORKER, "readinessProbe", {"httpGet": {"path": "/ready", "port": 9090}}),
        ),
        frozenset(),
    ),
    Case(
        PORT,
        "a path of another program in a worker's place",
        "vllm-agg",
        (
            put(GRAPH, f"{_VLLM_MAIN}.command", ["/opt/serve"]),
            put(GRAPH, f"{_VLLM_MAIN}.readinessProbe", {"httpGet": {"path": "/ready", "port": 9090}}),
        ),
        frozenset(),
    ),
)
