"""Probes of the pods of a graph, and the ports that they ask."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, drop, put
from tests.rules.serving_edits import (
    FRONTEND,
    GRAPH,
    SERVER,
    SERVER_ARGS,
    VLLM_MAIN,
    WORKER,
    command,
    main,
    of_service,
    variable,
)

PROBES = "probed-port-named"
_LIVE = {"httpGet": {"path": "/live", "port": 9090}, "failureThreshold": 720}
_OWN_PROBES = (
    main(WORKER, "ports", [{"name": "metrics", "containerPort": 9090}]),
    of_service(WORKER, "livenessProbe", _LIVE),
    of_service(WORKER, "readinessProbe", {"httpGet": {"path": "/health", "port": 9090}}),
)

CASES = (
    Case(
        PROBES,
        "a path of other makers' servers, asked of vLLM's own",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.startupProbe.httpGet.path", "/healthz"),),
        failed(PROBES, "vllm-serve"),
        ("its startupProbe asks for /healthz, which the server answers with 404; it serves /health",),
    ),
    Case(
        PROBES,
        "ports that replace the one that is probed",
        "agg-gb200",
        (main(WORKER, "ports", [{"name": "metrics", "containerPort": 9090}]),),
        failed(PROBES, WORKER),
        ("its own ports (metrics) replace the operator's, and none is called system",),
    ),
    Case(
        PROBES,
        "a frontend that listens elsewhere",
        "agg-gb200",
        (command(FRONTEND, "--http-port 8000", "--http-port 8080"),),
        failed(PROBES, FRONTEND),
        ("listens on 8080 (--http-port), but the operator's probes ask port http, 8000",),
    ),
    Case(
        PROBES,
        "three probes that ask another port",
        "agg-gb200",
        (*_OWN_PROBES, main(WORKER, "startupProbe", _LIVE)),
    ),
    Case(
        PROBES,
        "probes of the port that a variable takes away",
        "agg-gb200",
        (
            *_OWN_PROBES,
            main(WORKER, "startupProbe", _LIVE),
            variable(WORKER, "DYN_SYSTEM_PORT", "9095"),
        ),
        failed(PROBES, WORKER),
        ("listens on 9095 (DYN_SYSTEM_PORT), but its startupProbe asks port 9090",),
    ),
    Case(
        PROBES,
        "a probe of the start that asks a name that no port has",
        "vllm-agg",
        (put(GRAPH, f"{VLLM_MAIN}.startupProbe", {"httpGet": {"path": "/live", "port": "health"}}),),
        failed(PROBES, "VllmWorker"),
        ("startupProbe asks port health by its name, and no port of the container is called so",),
    ),
    Case(
        PROBES,
        "a path of other servers, of a worker's port by its name and of a frontend",
        "agg-gb200",
        (
            main(WORKER, "startupProbe", {"httpGet": {"path": "/ready", "port": "system"}}),
            of_service(FRONTEND, "livenessProbe", {"httpGet": {"path": "/healthz", "port": 8000}}),
        ),
        failed(PROBES, WORKER, FRONTEND),
        ("asks port system for /ready", "asks port 8000 for /healthz"),
    ),
    Case(
        PROBES,
        "a path of another server of the pod",
        "agg-gb200",
        (main(WORKER, "startupProbe", {**_LIVE, "httpGet": {"path": "/ready", "port": 8080}}),),
    ),
    Case(
        PROBES,
        "a path of another program in a worker's place",
        "vllm-agg",
        (
            put(GRAPH, f"{VLLM_MAIN}.command", ["/opt/serve"]),
            put(GRAPH, f"{VLLM_MAIN}.readinessProbe", {"httpGet": {"path": "/ready", "port": 9090}}),
        ),
    ),
    Case(
        PROBES,
        "a liveness probe without one of the start, before the model can be loaded",
        "vllm-serve",
        (
            drop("Deployment", f"{SERVER}.livenessProbe.failureThreshold"),
            drop("Deployment", f"{SERVER}.startupProbe"),
        ),
        failed(PROBES, "vllm-serve"),
        ("its livenessProbe, beside no startupProbe, ends it after 30 s", "gpt-oss-120b takes 901 s"),
    ),
    Case(
        PROBES,
        "a startup probe of seconds, for a model whose size nobody knows",
        "vllm-serve",
        (
            put("Deployment", SERVER_ARGS, ["Qwen/Qwen3-32B", "--host=0.0.0.0", "--tensor-parallel-size=4"]),
            put("Deployment", f"{SERVER}.startupProbe.failureThreshold", 1),
        ),
        undecided(PROBES, "vllm-serve"),
        ("its startupProbe ends it after", "nothing says how long its model takes to load"),
    ),
    Case(
        PROBES,
        "probes of a server at another port than its own",
        "vllm-serve",
        (put("Deployment", f"{SERVER}.args[3]", "--port=8001"),),
        failed(PROBES, "vllm-serve"),
        ("listens on 8001 (--port), but its readinessProbe asks port 8000",),
    ),
    Case(
        PROBES,
        "probes of the supervisor of data-parallel ranks",
        "vllm-serve",
        (
            put("Deployment", f"{SERVER}.args[3]", "--port=8001"),
            add("Deployment", f"{SERVER}.args", "--data-parallel-supervisor-port=8000"),
        ),
    ),
)
