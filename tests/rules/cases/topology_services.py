"""Services, the pods and ports that they lead to, and servers on their pod's loopback address."""

from tests.rules.case import On
from tests.rules.edits import add, document, put
from tests.rules.names import GRAPH, SERVER

REACHES = "service-reaches-pods"
_FRONTEND = "spec.components[0].podTemplate.spec.containers[0]"
_OF_A_GRAPH = """
apiVersion: v1
kind: Service
metadata: {{name: chat, namespace: gpt-oss}}
spec:
  selector:
    nvidia.com/dynamo-graph-deployment-name: {graph}
    nvidia.com/dynamo-component-type: frontend
  ports: [{{port: 80, targetPort: {port}}}]
"""
PROBED = "probed-port-named"
_PROXY = {"name": "proxy", "image": "docker.io/envoyproxy/envoy:v1.34.1"}
_BY_COMMAND = {"exec": {"command": ["true"]}, "failureThreshold": 999}
_ALONE = put("Deployment", f"{SERVER}.args[2]", "--host=127.0.0.1")

CASES = (
    On(REACHES, "vllm-serve", "vllm-serve").fails(
        "a letter too many in the selector",
        "selects app.kubernetes.io/name=vllm-server",
        "those of vllm-serve have app.kubernetes.io/name=vllm-serve",
        put("Service", "spec.selector[app.kubernetes.io/name]", "vllm-server"),
    ),
    On(REACHES, "vllm-serve").passes(
        "a label of pods in another file", put("Service", "spec.selector", {"app": "grafana"})
    ),
    On(REACHES, "vllm-serve", "vllm-serve").advises(
        "a target port that no container calls so, and a proxy's",
        "leads to port api of vllm-serve, and no port of its containers is called so",
        put("Service", "spec.ports[0].targetPort", "api"),
        add("Service", "spec.ports", {"name": "proxy", "port": 9090}),
        add("Deployment", "spec.template.spec.containers", _PROXY),
    ),
    On(REACHES, "vllm-serve", "vllm-serve").fails(
        "a target port beside the one that the server listens on",
        "leads to port 8000 of vllm-serve, which listens on 8001 (--port)",
        put("Deployment", f"{SERVER}.args[3]", "--port=8001"),
    ),
    On(REACHES, "vllm-serve", "vllm-serve").advises(
        "a further port that no server is known to have",
        "leads to port 5557 of vllm-serve",
        add("Service", "spec.ports", {"name": "events", "port": 5557}),
    ),
    *(
        On(REACHES, "vllm-serve").passes(
            f"a Service for the events of KV cache alone, {events}",
            put("Service", "spec.ports", [{"name": "events", "port": port}]),
            add("Deployment", f"{SERVER}.args", f"--kv-events-config={events}"),
        )
        for events, port in (
            ('{"enable_kv_cache_events": true}', 5557),
            ('{"enable_kv_cache_events": true, "endpoint": "tcp://*:20080"}', 20080),
        )
    ),
    On(REACHES, "vllm-serve", "vllm-serve").advises(
        "a headless Service with a port of nobody",
        "leads to port 9000 of vllm-serve, which listens on 8000 (--port)",
        put("Service", "spec.ports", [{"name": "http", "port": 9000}]),
        put("Service", "spec.clusterIP", "None"),
    ),
    On(REACHES, "vllm-serve").passes(
        "a Service for Ray alone",
        put("Service", "spec.ports", [{"name": "ray", "port": 6379}]),
        put("Deployment", f"{SERVER}.command", ["sh", "-c"]),
        put("Deployment", f"{SERVER}.args", ["ray start --head && exec vllm serve openai/gpt-oss-120b"]),
    ),
    On(REACHES, "vllm-serve").passes(
        "the port at which the nodes of an engine find its first one",
        put("Service", "spec.ports", [{"name": "master", "port": 29600}]),
        add("Deployment", f"{SERVER}.args", "--master_port=29600"),
    ),
    On(REACHES, "vllm-serve", "vllm-serve").fails(
        "a port of nobody, beside Ray and what the command only says",
        "leads to port 8080 of vllm-serve, which listens on 8000",
        put("Service", "spec.ports", [{"name": "http", "port": 8080}]),
        put("Deployment", f"{SERVER}.command", ["sh", "-c"]),
        put(
            "Deployment",
            f"{SERVER}.args",
            ["echo port 8080; ray start --head && exec vllm serve openai/gpt-oss-120b"],
        ),
    ),
    On(REACHES, "vllm-serve", "vllm-serve").fails(
        "a Service for the requests at the port of the events",
        "leads to port 5558 of vllm-serve, which listens on 8000 (--port)",
        put("Service", "spec.ports", [{"name": "http", "port": 5558}]),
        add("Deployment", f"{SERVER}.args", '--kv-events-config={"enable_kv_cache_events": true}'),
    ),
    On(REACHES, "vllm-serve", "vllm-serve").fails(
        "a name that no port has, beside a server whose own port cannot be read",
        "leads to port api of vllm-serve, and no port of its containers is called so",
        add("Service", "spec.ports", {"name": "api", "port": 80, "targetPort": "api"}),
        put("Deployment", f"{SERVER}.args[3]", "--port=$(PORT)"),
        undecided_for=("vllm-serve",),
    ),
    On(REACHES, "vllm-agg", "chat").fails(
        "the port that the operator gives, where the frontend's own ports replace it",
        "leads to port http of Frontend, and no port of its containers is called so",
        document(_OF_A_GRAPH.format(graph="gpt-oss-vllm", port="http")),
        put(GRAPH, f"{_FRONTEND}.ports", [{"name": "api", "containerPort": 8000}]),
    ),
    On(REACHES, "vllm-serve", "vllm-serve").fails(
        "a server on the loopback address",
        "leads to port 8000 of vllm-serve, which listens on 127.0.0.1 alone (--host): no other pod",
        _ALONE,
    ),
    On(REACHES, "vllm-serve").passes(
        "a server behind a proxy", _ALONE, add("Deployment", "spec.template.spec.containers", _PROXY)
    ),
    On(REACHES, "vllm-serve").passes(
        "a server on the loopback address in a mesh",
        _ALONE,
        put("Deployment", "spec.template.metadata.annotations", {"linkerd.io/inject": "enabled"}),
    ),
    On(PROBED, "trtllm-serve", "trtllm-serve").fails(
        "the loopback address that trtllm-serve takes by default",
        "listens on localhost alone (the default of --host)",
        put("Deployment", f"{SERVER}.args[2]", "--log_level=info"),
    ),
    On(PROBED, "vllm-serve").passes(
        "a server on the loopback address that a command of its own container asks",
        _ALONE,
        *(
            put("Deployment", f"{SERVER}.{name}", _BY_COMMAND)
            for name in ("livenessProbe", "readinessProbe", "startupProbe")
        ),
    ),
    On(PROBED, "vllm-agg", "Frontend").fails(
        "a frontend on the loopback address",
        "listens on localhost alone (--http-host), where no probe and no Service reaches it",
        put(GRAPH, f"{_FRONTEND}.command", ["python3", "-m"]),
        put(GRAPH, f"{_FRONTEND}.args", ["dynamo.frontend", "--http-host=localhost"]),
    ),
)
