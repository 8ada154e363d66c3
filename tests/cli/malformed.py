"""Inputs that nobody would write: one for each way in which a reader could become slow, large or wrong."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MEGABYTE = 1_000_000
LARGE = 7 * MEGABYTE
"""Still read."""
PASSED, STOPPED, REFUSED = 0, 1, 2

_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: a, image: nginx}\n"
_GRAPH = (
    "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  services: "
)
_CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '"
_URN = "urn:pulumi:s::p::kubernetes:core/v1:Pod::p"


def _pod(container: Mapping[str, Any]) -> str:
    spec = {"containers": [{"name": "main", **container}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})


def _script(text: str, variables: Mapping[str, str] | None = None) -> str:
    """One container whose script goes on to start an engine, a download and a benchmark."""
    rest = "python3 -m dynamo.trtllm --tensor-parallel-size $A\nhf download $A\naiperf profile"
    return _pod(
        {
            "command": ["/bin/bash", "-c"],
            "args": [f"{text}\n{rest}"],
            "env": [{"name": name, "value": value} for name, value in (variables or {}).items()],
            "resources": {"limits": {"nvidia.com/gpu": "4"}},
        }
    )


def _engines() -> str:
    """A thousand workers."""
    services = {
        f"{mode}{number}": {
            "subComponentType": mode,
            "resources": {"limits": {"gpu": "1"}},
            "extraPodSpec": {
                "mainContainer": {
                    "command": ["python3", "-m", "dynamo.trtllm", "--disaggregation-mode", mode]
                }
            },
        }
        for number in range(500)
        for mode in ("prefill", "decode")
    }
    return _GRAPH + json.dumps(services)


def _aliases(levels: int, width: int) -> str:
    """Lists of lists, by names: few bytes that stand for many values."""
    lines = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(["a0: &a0 [x]", *lines, ""])


def _state(*resources: Mapping[str, Any]) -> str:
    return json.dumps({"version": 3, "deployment": {"resources": resources}})


def _resource(spec: object = None, **more: Any) -> Mapping[str, Any]:
    inputs = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    return {"urn": _URN, "type": "kubernetes:core/v1:Pod", "custom": True, "inputs": inputs, **more}


def _deep(levels: int) -> Sequence[Any]:
    """A list in a list in a list."""
    return json.loads("[" * levels + "]" * levels)


_AMOUNTS = {"memory": "9" * MEGABYTE + "Gi", "cpu": "1" * MEGABYTE, "nvidia.com/gpu": "1e999"}
_REFERENCES = {"V0": "x" * 100, **{f"V{n}": f"$(V{n - 1})$(V{n - 1})" for n in range(1, 60)}}

MALFORMED: Mapping[str, tuple[int, Callable[[], str | bytes]]] = {
    "nothing": (REFUSED, lambda: ""),
    "UTF-16": (REFUSED, lambda: _POD.encode("utf-16")),
    "a program": (REFUSED, lambda: b"\x7fELF" + bytes(range(256)) * 50),
    "control characters": (REFUSED, lambda: _POD.replace("nginx", "\x1b[2J")),
    "a NUL byte in a name": (PASSED, lambda: _POD.replace("name: p", 'name: "p\\0"')),
    "lone surrogates": (REFUSED, lambda: _POD.replace("nginx", '"\\ud800"')),
    "a bomb of aliases": (REFUSED, lambda: _aliases(10, 10)),
    "an alias that contains itself": (REFUSED, lambda: "a: &a [*a]\n"),
    # Readers in C recurse on each of these, and end the process.
    "deep lists": (REFUSED, lambda: "[" * 100_000),
    "deep dashes": (REFUSED, lambda: "- " * 50_000),
    "duplicate keys": (REFUSED, lambda: "apiVersion: v1\nkind: Pod\nkind: Job\n"),
    "keys that are lists": (REFUSED, lambda: "? [a, b]\n: c\n"),
    "a tag of Python": (REFUSED, lambda: "!!python/object/apply:os.system [id]\n"),
    "a list of no objects": (REFUSED, lambda: "apiVersion: v1\nkind: List\nitems: [5]\n"),
    "containers: 5": (STOPPED, lambda: "apiVersion: v1\nkind: Pod\nspec: {containers: 5}\n"),
    "metadata: null": (
        STOPPED,
        lambda: "apiVersion: v1\nkind: Pod\nmetadata: null\nspec: {containers: []}\n",
    ),
    "services: []": (STOPPED, lambda: f"{_GRAPH}[]"),
    "5,000 digits": (REFUSED, lambda: f"{_GRAPH}{{w: {{replicas: {'9' * 5_000}}}}}\n"),
    "infinity": (STOPPED, lambda: f"{_GRAPH}{{w: {{replicas: .inf, multinode: {{nodeCount: .nan}}}}}}\n"),
    "amounts of many digits": (
        PASSED,
        lambda: _pod({"resources": {"limits": _AMOUNTS, "requests": _AMOUNTS}}),
    ),
    "many engines": (STOPPED, _engines),
    "one long script": (PASSED, lambda: _script("x" * LARGE)),
    # Patterns that look at each end of a text again from each beginning.
    "tokens without an end": (PASSED, lambda: f"{_CONFIG}{'github_pat_' * 500_000}é'}}\n"),
    "addresses without an end": (PASSED, lambda: f"{_CONFIG}{'ab://a:b' * 500_000}'}}\n"),
    "an image of colons": (PASSED, lambda: _pod({"image": ":1." * 500_000})),
    "a variable doubled 200 times": (PASSED, lambda: _script("A=x\n" + "A=$A$A;" * 200)),
    "a chain of references 60 deep": (PASSED, lambda: _script("A=$V59", _REFERENCES)),
    "here documents without an end": (PASSED, lambda: _script("cat <<A\n" * 10_000)),
    "shells in shells": (PASSED, lambda: _script("bash -c '" * 5_000)),
    "brackets without a partner": (PASSED, lambda: _script("$(" * 40_000)),
    "quotes without a partner": (STOPPED, lambda: _script("\"'" * 40_000)),
    "an engine file of aliases": (
        STOPPED,
        lambda: _script(f"cat > /e.yaml <<'EOF'\n{_aliases(40, 2)}EOF\nA='4 --extra-engine-args /e.yaml'\n"),
    ),
    "a JSON flag that is deep": (
        STOPPED,
        lambda: _script("A='4 --override-engine-args " + "[" * 50_000 + "'"),
    ),
    "a state cut off": (REFUSED, lambda: _state(_resource())[:-5]),
    "a state of nested lists": (
        REFUSED,
        lambda: '{"version": 3, "deployment": {"resources": [' + "[" * 100_000,
    ),
    "a state with a deep value": (REFUSED, lambda: _state(_resource(_deep(900)))),
    "a state with NaN": (STOPPED, lambda: _state(_resource({"a": float("nan")}))),
    "a state with a long integer": (REFUSED, lambda: _state(_resource()).replace("true", "9" * 5_000)),
    "a state of parents in a circle": (
        PASSED,
        lambda: _state(_resource(parent=_URN, dependencies=[_URN])),
    ),
}
"""Name -> the code with which `check` ends, and the file, which is made when a test needs it."""
