"""Probes of the pods of a graph, and the ports that they ask."""

from tests.rules.case import On
from tests.rules.edits import add, drop, put
from tests.rules.names import FRONTEND, GRAPH, SERVER, SERVER_ARGS, VLLM_MAIN, WORKER
from tests.rules.serving_edits import command, main, of_service, variable

PROBES = "probed-port-named"
_LIVE = {"httpGet": {"path": "/live", "port": 9090}, "failureThreshold": 720}
_OWN_PROBES = (
    main(WORKER, "ports", [{"name": "metrics", "containerPort": 9090}]),
    of_service(WORKER, "livenessProbe", _LIVE),
    of_service(WORKER, "readinessProbe", {"httpGet": {"path": "/health", "port": 9090}}),
)

CASES = (
    On(PROBES, "vllm-serve", "vllm-serve").fails(
        "a path of other makers' servers, a loopback address and another port",
        "its startupProbe asks for /healthz, which the server answers with 404; it serves /health",
        put("Deployment", f"{SERVER}.startupProbe.httpGet.path", "/healthz"),
        "where no probe and no Service reaches it; write 0.0.0.0",
        put("Deployment", f"{SERVER}.args[2]", "--host=127.0.0.1"),
        "listens on 8001 (--port), but its readinessProbe asks port 8000",
        put("Deployment", f"{SERVER}.args[3]", "--port=8001"),
    ),
    On(PROBES, "agg-gb200", WORKER).fails(
        "ports that replace the one that is probed",
        "its own ports (metrics) replace the operator's, and none is called system",
        main(WORKER, "ports", [{"name": "metrics", "containerPort": 9090}]),
    ),
    On(PROBES, "agg-gb200", FRONTEND, WORKER).fails(
        "a frontend that listens elsewhere, and a path with a slip",
        "listens on 8080 (--http-port), but the operator's probes ask port http, 8000",
        command(FRONTEND, "--http-port 8000", "--http-port 8080"),
        "asks port system for /helth, which answers 404",
        main(WORKER, "startupProbe", {"httpGet": {"path": "/helth", "port": "system"}}),
    ),
    On(PROBES, "agg-gb200").passes(
        "three probes that ask another port", _OWN_PROBES, main(WORKER, "startupProbe", _LIVE)
    ),
    On(PROBES, "agg-gb200", WORKER).fails(
        "probes of the port that a variable takes away",
        "listens on 9095 (DYN_SYSTEM_PORT), but its startupProbe asks port 9090",
        _OWN_PROBES,
        main(WORKER, "startupProbe", _LIVE),
        variable(WORKER, "DYN_SYSTEM_PORT", "9095"),
    ),
    On(PROBES, "vllm-agg", "VllmWorker").fails(
        "a probe of the start that asks a name that no port has",
        "startupProbe asks port health by its name, and no port of the container is called so",
        put(GRAPH, f"{VLLM_MAIN}.startupProbe", {"httpGet": {"path": "/live", "port": "health"}}),
    ),
    On(PROBES, "agg-gb200", WORKER, FRONTEND).fails(
        "a path of other servers, of a worker's port by its name and of a frontend",
        ("asks port system for /ready", "asks port 8000 for /healthz"),
        main(WORKER, "startupProbe", {"httpGet": {"path": "/ready", "port": "system"}}),
        of_service(FRONTEND, "livenessProbe", {"httpGet": {"path": "/healthz", "port": 8000}}),
    ),
    On(PROBES, "agg-gb200").passes(
        "a path that a variable gives",
        main(WORKER, "startupProbe", {**_LIVE, "httpGet": {"path": "/ready", "port": "system"}}),
        variable(WORKER, "DYN_SYSTEM_HEALTH_PATH", "/ready"),
    ),
    On(PROBES, "agg-gb200").passes(
        "another path", main(WORKER, "startupProbe", {**_LIVE, "httpGet": {"path": "/ready", "port": 8080}})
    ),
    On(PROBES, "vllm-agg").passes(
        "a path of another program in a worker's place",
        put(GRAPH, f"{VLLM_MAIN}.command", ["/opt/serve"]),
        put(GRAPH, f"{VLLM_MAIN}.readinessProbe", {"httpGet": {"path": "/ready", "port": 9090}}),
    ),
    On(PROBES, "vllm-serve", "vllm-serve").fails(
        "a liveness probe without one of the start, before the model can be loaded",
        ("its livenessProbe, beside no startupProbe, ends it after 30 s", "gpt-oss-120b takes 901 s"),
        drop("Deployment", f"{SERVER}.livenessProbe.failureThreshold"),
        drop("Deployment", f"{SERVER}.startupProbe"),
    ),
    On(PROBES, "vllm-serve", "vllm-serve").advises(
        "a startup probe that gives a model less than it takes by the publisher's times",
        "its startupProbe ends it after 60 s, and to load gpt-oss-120b takes 901 s",
        put("Deployment", f"{SERVER}.startupProbe.failureThreshold", 6),
    ),
    On(PROBES, "vllm-serve").passes(
        "a threshold below zero", put("Deployment", f"{SERVER}.startupProbe.failureThreshold", -6)
    ),
    On(PROBES, "vllm-serve", "vllm-serve").is_undecided(
        "a startup probe of seconds, for a model whose size nobody knows",
        ("its startupProbe ends it after", "nothing says how long its model takes to load"),
        put("Deployment", SERVER_ARGS, ["Qwen/Qwen3-32B", "--host=0.0.0.0", "--tensor-parallel-size=4"]),
        put("Deployment", f"{SERVER}.startupProbe.failureThreshold", 1),
    ),
    On(PROBES, "vllm-serve").passes(
        "probes of the supervisor of data-parallel ranks",
        put("Deployment", f"{SERVER}.args[3]", "--port=8001"),
        add("Deployment", f"{SERVER}.args", "--data-parallel-supervisor-port=8000"),
    ),
)
