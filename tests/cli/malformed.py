"""Inputs that nobody would write: one for each way in which a reader could become slow, large or wrong."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Content = str | bytes
Case = tuple[str, int, Content | Callable[[], Content]]
"""Name, code with which `check` ends, and the file; a large one is made when a test needs it."""

MEGABYTE = 1_000_000
LARGE = 7 * MEGABYTE
"""Still read."""
PASSED, STOPPED, REFUSED = 0, 1, 2

_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
_GRAPH = (
    "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  services: "
)
_CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '"


def malformed() -> Iterator[Case]:
    """All of them."""
    for cases in (_texts, _yaml, _values, _many, _scripts, _states):
        yield from cases()


def _texts() -> Iterator[Case]:
    text = f"{_POD}  - {{name: a, image: nginx}}\n"
    yield "nothing", REFUSED, ""
    yield "UTF-16", REFUSED, text.encode("utf-16")
    yield "a program", REFUSED, b"\x7fELF" + bytes(range(256)) * 50
    yield "control characters", REFUSED, text.replace("nginx", "\x1b[2J")
    yield "a NUL byte in a name", STOPPED, text.replace("name: p", 'name: "p\\0"')
    yield "lone surrogates", REFUSED, text.replace("nginx", '"\\ud800"')


def _yaml() -> Iterator[Case]:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
    yield "a bomb of aliases", REFUSED, f"a0: &a0 [x]\n{levels}"
    yield "an alias that contains itself", REFUSED, "a: &a [*a]\n"
    # Readers in C recurse on each of these, and end the process.
    yield "deep lists", REFUSED, "[" * 100_000
    yield "deep dashes", REFUSED, "- " * 50_000
    yield "duplicate keys", REFUSED, "apiVersion: v1\nkind: Pod\nkind: Job\n"
    yield "keys that are lists", REFUSED, "? [a, b]\n: c\n"
    yield "a tag of Python", REFUSED, "!!python/object/apply:os.system [id]\n"


def _values() -> Iterator[Case]:
    digits = "9" * 5_000
    amounts = {"memory": "9" * MEGABYTE + "Gi", "cpu": "1" * MEGABYTE, "nvidia.com/gpu": "1e999"}
    yield "a list of no objects", REFUSED, "apiVersion: v1\nkind: List\nitems: [5]\n"
    yield "containers: 5", STOPPED, "apiVersion: v1\nkind: Pod\nspec: {containers: 5}\n"
    yield "metadata: null", STOPPED, "apiVersion: v1\nkind: Pod\nmetadata: null\nspec: {containers: []}\n"
    yield "services: []", STOPPED, f"{_GRAPH}[]"
    yield "5,000 digits", REFUSED, f"{_GRAPH}{{w: {{replicas: {digits}}}}}\n"
    yield "infinity", STOPPED, f"{_GRAPH}{{w: {{replicas: .inf, multinode: {{nodeCount: .nan}}}}}}\n"
    yield "amounts of many digits", PASSED, _pod({"resources": {"limits": amounts, "requests": amounts}})


def _many() -> Iterator[Case]:
    engine = {"command": ["python3", "-m", "dynamo.trtllm", "--disaggregation-mode"]}
    services = {
        f"{mode}{n}": {
            "subComponentType": mode,
            "resources": {"limits": {"gpu": "1"}},
            "extraPodSpec": {"mainContainer": {"command": [*engine["command"], mode]}},
        }
        for n in range(500)
        for mode in ("prefill", "decode")
    }
    yield "many engines", STOPPED, lambda: _GRAPH + json.dumps(services)
    yield "one long script", PASSED, lambda: script("x" * LARGE)
    # Patterns that look at each end of a text again from each beginning.
    yield "tokens without an end", PASSED, f"{_CONFIG}{'github_pat_' * 500_000}é'}}\n"
    yield "addresses without an end", PASSED, f"{_CONFIG}{'ab://a:b' * 500_000}'}}\n"
    yield "an image of colons", PASSED, _pod({"image": ":1." * 500_000})


def _scripts() -> Iterator[Case]:
    chain = {"V0": "x" * 100, **{f"V{n}": f"$(V{n - 1})$(V{n - 1})" for n in range(1, 60)}}
    file = f"a0: &a0 [x]\n{''.join(f'a{n}: &a{n} [*a{n - 1}, *a{n - 1}]' + chr(10) for n in range(1, 40))}"
    written = f"cat > /e.yaml <<'EOF'\n{file}EOF\nA='4 --extra-engine-args /e.yaml'\n"
    yield "a variable doubled 200 times", PASSED, script("A=x\n" + "A=$A$A;" * 200)
    yield "a chain of references 60 deep", PASSED, script("A=$V59", chain)
    yield "here documents without an end", PASSED, script("cat <<A\n" * 10_000)
    yield "shells in shells", PASSED, script("bash -c '" * 5_000)
    yield "brackets without a partner", PASSED, script("$(" * 40_000)
    yield "quotes without a partner", STOPPED, script("\"'" * 40_000)
    yield "an engine file of aliases", STOPPED, script(written)
    yield "a JSON flag that is deep", STOPPED, script("A='4 --override-engine-args " + "[" * 50_000 + "'")


def _states() -> Iterator[Case]:
    urn = "urn:pulumi:s::p::kubernetes:core/v1:Pod::p"
    whole = _state([_entry(urn)])
    inputs = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    yield "a state cut off", REFUSED, whole[:-5]
    yield "a state of nested lists", REFUSED, '{"version": 3, "deployment": {"resources": [' + "[" * 100_000
    yield "a state with a deep value", REFUSED, _state([_entry(urn, inputs={**inputs, "spec": deep})])
    yield "a state with NaN", STOPPED, _state([_entry(urn, inputs={**inputs, "spec": {"a": float("nan")}})])
    yield "a state with a long integer", REFUSED, whole.replace("true", "9" * 5_000)
    yield "a state of parents in a circle", REFUSED, _state([_entry(urn, parent=urn, dependencies=[urn])])


def script(text: str, variables: Mapping[str, str] | None = None) -> str:
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


def _pod(container: Mapping[str, Any]) -> str:
    spec = {"containers": [{"name": "main", **container}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})


def _state(resources: Sequence[object]) -> str:
    return json.dumps({"version": 3, "deployment": {"resources": resources}})


def _entry(urn: str, **more: Any) -> Mapping[str, Any]:
    return {"urn": urn, "type": "kubernetes:core/v1:Pod", "custom": True, **more}
