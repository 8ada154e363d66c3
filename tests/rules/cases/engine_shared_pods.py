"""Engines that share a pod, and the ports that each of them has or takes from another."""

from tests.rules.case import B200, On
from tests.rules.edits import Edit, put
from tests.rules.names import GRAPH, VLLM_MAIN, VLLM_POD

PORTS, ENDS = "engine-ports-unique", "crash-ends-the-container"
_SIDES = tuple(f"spec.components[{index}].podTemplate.spec" for index in (1, 2))
_HOSTED = tuple(put(GRAPH, f"{side}.hostNetwork", True) for side in _SIDES)
_METRIC = "DYN_FORWARDPASS_METRIC_PORT"
_HANDSHAKE = "VLLM_NIXL_SIDE_CHANNEL_PORT"
_NIXL = '--kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\''


def _both(first: str, second: str, options: str = "") -> tuple[Edit, ...]:
    """The graph's worker starts two engines, each with variables of its own."""
    start = f"python3 -m dynamo.vllm --model openai/gpt-oss-120b {options}"
    script = f"{first} {start} &\n{second} {start} &\nwait"
    return (put(GRAPH, f"{VLLM_MAIN}.command", ["/bin/sh", "-c"]), put(GRAPH, f"{VLLM_MAIN}.args", [script]))


def _supervised(shell: str, second: str) -> tuple[Edit, ...]:
    """A supervisor starts the two engines through shells, the second by these words."""
    words = ["/opt/supervisor.py"]
    for name, start in (("prefill:9091", "exec python3"), ("decode:9092", second)):
        words += [name, shell, "-c", f"export A=1 && {start} -m dynamo.vllm --model openai/gpt-oss-120b"]
    return put(GRAPH, f"{VLLM_MAIN}.command", ["python3"]), put(GRAPH, f"{VLLM_MAIN}.args", words)


CASES = (
    On(ENDS, "vllm-agg", "VllmWorker").fails(
        "an engine behind a shell of a supervisor",
        "is started through /bin/sh without exec: the signal to end reaches the shell alone",
        _supervised("/bin/sh", "python3"),
    ),
    On(ENDS, "vllm-agg").passes("engines that their shells become", _supervised("/bin/sh", "exec python3")),
    On(ENDS, "vllm-agg").passes(
        "an engine whose shell passes the signal on", _supervised("/bin/sh", "trap 'kill $!' TERM && python3")
    ),
    On(ENDS, "vllm-agg").passes("engines that bash becomes by itself", _supervised("/bin/bash", "python3")),
    On(PORTS, "vllm-agg", "VllmWorker").fails(
        "two engines with ports of their own, and one handshake",
        f"2 engines of one pod have {_HANDSHAKE} 5600",
        _both(f"{_METRIC}=20380", f"{_METRIC}=20480", _NIXL),
    ),
    On(PORTS, "vllm-agg", "VllmWorker").fails(
        "two engines with the port that the operator gives",
        f"2 engines of one pod have {_METRIC} 20380: dynamo.vllm in",
        _both("", ""),
    ),
    On(PORTS, "vllm-agg").passes(
        "two engines of which one has a scheduler that a person chose",
        _both("", ""),
        put(
            GRAPH,
            f"{VLLM_MAIN}.args",
            ["python3 -m dynamo.vllm --model m & python3 -m dynamo.vllm --scheduler-cls mine --model m"],
        ),
    ),
    On(PORTS, "vllm-agg", "VllmWorker").fails(
        "more workers on the network of their nodes than there are nodes",
        "8 pods share the network of their nodes (hostNetwork) and have port 9090, of which each node of",
        put(GRAPH, f"{VLLM_POD}.hostNetwork", True),
    ),
    On(PORTS, "vllm-disagg-efa", "Prefill, Decode").advises(
        "prefill and decode on the network of nodes that nobody names",
        "and have port 9090, of which a node takes one",
        _HOSTED,
        pools=(),
    ),
    On(PORTS, "vllm-disagg-efa").passes(
        "prefill and decode on the network of their nodes, each with a port of its own",
        _HOSTED,
        put(GRAPH, f"{_SIDES[1]}.containers[0].ports", [{"name": "system", "containerPort": 9091}]),
        pools=B200,
    ),
    On(PORTS, "vllm-disagg-efa", "Decode").fails(
        "decode workers on the network of too few nodes, beside prefill without pods",
        "2 pods share the network of their nodes",
        _HOSTED,
        put(GRAPH, "spec.components[1].replicas", 0),
        put(GRAPH, "spec.components[2].replicas", 2),
        pools=B200,
    ),
    *(
        On(PORTS, "vllm-disagg-efa").passes(name, _HOSTED, put(GRAPH, path, value), pools=())
        for name, path, value in (
            ("pods that nobody counts", "spec.components[1].replicas", "some"),
            ("nodes of two kinds", f"{_SIDES[0]}.nodeSelector[nvidia.com/gpu.product]", "NVIDIA-B300"),
            ("nodes that cannot be read", f"{_SIDES[0]}.nodeSelector", "those of B200"),
        )
    ),
)
