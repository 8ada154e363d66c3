"""Servers on their pod's loopback address."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, put
from tests.rules.serving_edits import GRAPH

REACHES, PROBED = "service-reaches-pods", "probed-port-named"
_ENGINE = "spec.template.spec.containers[0]"
_PROXY = {"name": "proxy", "image": "docker.io/envoyproxy/envoy:v1.34.1"}
_BY_COMMAND = {"exec": {"command": ["true"]}, "failureThreshold": 999}
_ALONE = put("Deployment", f"{_ENGINE}.args[2]", "--host=127.0.0.1")

CASES = (
    Case(
        REACHES,
        "a server on the loopback address",
        "vllm-serve",
        (_ALONE,),
        failed(REACHES, "vllm-serve"),
        ("leads to port 8000 of vllm-serve, which listens on 127.0.0.1 alone (--host): no other pod",),
    ),
    Case(
        REACHES,
        "a server on the loopback address behind a proxy",
        "vllm-serve",
        (_ALONE, add("Deployment", "spec.template.spec.containers", _PROXY)),
    ),
    Case(
        REACHES,
        "a server on the loopback address in a mesh",
        "vllm-serve",
        (
            _ALONE,
            put("Deployment", "spec.template.metadata.annotations", {"linkerd.io/inject": "enabled"}),
        ),
    ),
    Case(
        PROBED,
        "the loopback address that trtllm-serve takes by default",
        "trtllm-serve",
        (put("Deployment", f"{_ENGINE}.args[2]", "--log_level=info"),),
        failed(PROBED, "trtllm-serve"),
        ("listens on localhost alone (the default of --host)",),
    ),
    Case(
        PROBED,
        "a server on the loopback address that a command of its own container asks",
        "vllm-serve",
        (
            _ALONE,
            *(
                put("Deployment", f"{_ENGINE}.{name}", _BY_COMMAND)
                for name in ("livenessProbe", "readinessProbe", "startupProbe")
            ),
        ),
    ),
    Case(
        PROBED,
        "a frontend on the loopback address",
        "vllm-agg",
        (
            put(GRAPH, "spec.components[0].podTemplate.spec.containers[0].command", ["python3", "-m"]),
            put(
                GRAPH,
                "spec.components[0].podTemplate.spec.containers[0].args",
                ["dynamo.frontend", "--http-host=localhost"],
            ),
        ),
        failed(PROBED, "Frontend"),
        ("listens on localhost alone (--http-host), where the operator's probes and Service do not",),
    ),
)
