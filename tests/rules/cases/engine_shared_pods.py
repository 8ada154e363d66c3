"""Engines that share a pod, and the ports that each of them has or takes from another."""

from tests.rules.case import B200, Case, failed
from tests.rules.edits import Edit, put
from tests.rules.serving_edits import GRAPH

PORTS = "engine-ports-unique"
_WORKER = "spec.components[1]"
_MAIN = f"{_WORKER}.podTemplate.spec.containers[0]"
_POD = f"{_WORKER}.podTemplate.spec"
_SIDES = tuple(f"spec.components[{index}].podTemplate.spec" for index in (1, 2))
_HOSTED = tuple(put(GRAPH, f"{side}.hostNetwork", True) for side in _SIDES)
_METRIC = "DYN_FORWARDPASS_METRIC_PORT"
_HANDSHAKE = "VLLM_NIXL_SIDE_CHANNEL_PORT"
_NIXL = '--kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\''


def _both(first: str, second: str, options: str = "") -> tuple[Edit, ...]:
    """The graph's worker starts two engines, each with variables of its own."""
    start = f"python3 -m dynamo.vllm --model openai/gpt-oss-120b {options}"
    script = f"{first} {start} &\n{second} {start} &\nwait"
    return (put(GRAPH, f"{_MAIN}.command", ["/bin/sh", "-c"]), put(GRAPH, f"{_MAIN}.args", [script]))


CASES = (
    Case(
        PORTS,
        "two engines with ports of their own, and one handshake",
        "vllm-agg",
        _both(f"{_METRIC}=20380", f"{_METRIC}=20480", _NIXL),
        failed(PORTS, "VllmWorker"),
        (f"2 engines of one pod have {_HANDSHAKE} 5600",),
    ),
    Case(
        PORTS,
        "two engines of which one has a scheduler that a person chose",
        "vllm-agg",
        (
            *_both("", ""),
            put(
                GRAPH,
                f"{_MAIN}.args",
                ["python3 -m dynamo.vllm --model m & python3 -m dynamo.vllm --scheduler-cls mine --model m"],
            ),
        ),
    ),
    Case(
        PORTS,
        "more workers on the network of their nodes than there are nodes",
        "vllm-agg",
        (put(GRAPH, f"{_POD}.hostNetwork", True),),
        failed(PORTS, "VllmWorker"),
        (
            "8 pods share the network of their nodes (hostNetwork) and have port 9090, "
            "of which each node of pool p6-b200.48xlarge (1 x",
        ),
    ),
    Case(
        PORTS,
        "prefill and decode on the network of nodes that nobody names",
        "vllm-disagg-efa",
        _HOSTED,
        failed(PORTS, "Prefill, Decode"),
        ("and have port 9090, of which a node takes one",),
        pools=(),
    ),
    Case(
        PORTS,
        "prefill and decode on the network of their nodes, each with a port of its own",
        "vllm-disagg-efa",
        (
            *_HOSTED,
            put(GRAPH, f"{_SIDES[1]}.containers[0].ports", [{"name": "system", "containerPort": 9091}]),
        ),
        pools=B200,
    ),
)
