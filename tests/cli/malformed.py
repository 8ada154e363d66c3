"""Inputs that nobody would write, each small to say and meant to make a reader slow, large or wrong."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Content = str | bytes
Named = Iterator[tuple[str, Content | Callable[[], Content]]]
"""Those that are large are made when a test needs them, and not by every process that collects tests."""

MEGABYTE = 1_000_000
LARGE = 7 * MEGABYTE
"""Still read."""
PODS = 4_000

_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
_GRAPH = (
    "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  services: "
)
_CLASS = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {storageClassName: '"
_CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '"


def malformed() -> Mapping[str, Content | Callable[[], Content]]:
    """Name -> content of a file."""
    sets = (
        _texts,
        _yaml,
        _shapes,
        _numbers,
        _large,
        _many,
        _expansions,
        _scripts,
        _patterns,
        _files,
        _states,
    )
    return {name: content for named in sets for name, content in named()}


def pod(script: str, variables: Mapping[str, str] | None = None) -> str:
    """One container whose script starts an engine, a download and a benchmark."""
    rest = "python3 -m dynamo.trtllm --tensor-parallel-size $A\nhf download $A\naiperf profile"
    return _pods(
        {
            "command": ["/bin/bash", "-c"],
            "args": [f"{script}\n{rest}"],
            "env": [{"name": name, "value": value} for name, value in (variables or {}).items()],
            "resources": {"limits": {"nvidia.com/gpu": "4"}},
        }
    )


def _pods(*containers: Mapping[str, Any], name: str = "p", **spec: Any) -> str:
    return _object(
        "Pod", name, spec={"containers": [{"name": "main", **each} for each in containers], **spec}
    )


def _object(kind: str, name: str, api_version: str = "v1", **more: Any) -> str:
    content = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **more}
    return f"{json.dumps(content)}\n---\n"


def _texts() -> Named:
    text = f"{_POD}  - {{name: a, image: nginx}}\n"
    yield "nothing", ""
    yield "NUL bytes", b"\0" * 100
    yield "a NUL byte in a name", text.replace("name: p", 'name: "p\\0"')
    yield "UTF-16", text.encode("utf-16")
    yield "UTF-16 without a mark", text.encode("utf-16-le")
    yield "UTF-32", text.encode("utf-32")
    yield "Latin-1", text.replace("nginx", "nginé").encode("latin-1")
    yield "a byte order mark", b"\xef\xbb\xbf" + text.encode()
    yield "two byte order marks", b"\xef\xbb\xbf" * 2 + text.encode()
    yield "carriage returns", text.replace("\n", "\r\n")
    yield "only carriage returns", text.replace("\n", "\r")
    yield "tabs", text.replace("  ", "\t")
    yield "lone surrogates", text.replace("nginx", '"\\ud800"')
    yield "surrogates as bytes", text.encode().replace(b"nginx", b"\xed\xa0\x80")
    yield "control characters", text.replace("nginx", "\x1b[2J")
    yield "no end of line", "apiVersion"
    yield "a program", b"\x7fELF" + bytes(range(256)) * 50
    yield "gzip", b"\x1f\x8b\x08" + bytes(range(256)) * 50


def _yaml() -> Named:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
    yield "a bomb of aliases", f"a0: &a0 [x]\n{levels}"
    yield "a bomb of merges", f"a0: &a0 {{x: 1}}\n{levels.replace('[', '{<<: [').replace(']', ']}')}"
    yield "an alias that contains itself", "a: &a [*a]\n"
    yield "a mapping that merges itself", "a: &a {<<: *a}\n"
    yield "an alias of nothing", "a: *b\n"
    yield "deep lists", "[" * 100_000
    yield "deep closed lists", "a: " + "[" * 50_000 + "]" * 50_000
    yield "deep mappings", "{a: " * 50_000
    yield "deep dashes", "- " * 50_000
    yield "deep questions", "? " * 50_000
    yield "deep indentation", "\n".join(" " * depth + "a:" for depth in range(2_000))
    yield "duplicate keys", "apiVersion: v1\nkind: Pod\nkind: Job\n"
    yield "keys that are no text", f"{_POD}  - {{1: a, true: b, null: c, 1.5: d}}\n"
    yield "keys that are lists", "? [a, b]\n: c\n"
    yield "a tag of Python", "!!python/object/apply:os.system [id]\n"
    yield "a tag of nobody", "!what {a: 1}\n"
    yield "binary", "a: !!binary 'not base64'\n"
    yield "a directive again and again", "%YAML 1.2\n" * 10_000
    yield "many dashes", "- \n" * MEGABYTE
    yield "many documents", "---\n" * MEGABYTE
    yield "many anchors", "".join(f"- &a{n} x\n- *a{n}\n" for n in range(1_000))


def _shapes() -> Named:
    for text in ("5", "[]", "null"):
        yield f"kind: {text}", f"apiVersion: v1\nkind: {text}\n"
        yield f"apiVersion: {text}", f"apiVersion: {text}\nkind: Pod\n"
        yield f"metadata: {text}", f"apiVersion: v1\nkind: Pod\nmetadata: {text}\nspec: {{containers: []}}\n"
        yield f"items: {text}", f"apiVersion: v1\nkind: List\nitems: {text}\n"
        yield f"containers: {text}", f"apiVersion: v1\nkind: Pod\nspec: {{containers: {text}}}\n"
        yield f"initContainers: {text}", f"{_POD}  - {{name: a, image: nginx}}\n  initContainers: {text}\n"
        yield f"services: {text}", _GRAPH + text
        yield f"document: {text}", text
    inner = {"apiVersion": "v1", "kind": "List", "items": [5]}
    yield "a list in a list", _object("List", "l", items=[inner])


def _numbers() -> Named:
    digits = "9" * 5_000
    yield "a broken int", "a: !!int 'x'\n"
    yield "5,000 digits", f"{_GRAPH}{{w: {{replicas: {digits}}}}}\n"
    yield "5,000 digits as a text", f"{_GRAPH}{{w: {{resources: {{limits: {{gpu: '{digits}'}}}}}}}}\n"
    yield "400 digits", f"{_GRAPH}{{w: {{replicas: 1, resources: {{limits: {{gpu: {digits[:400]}}}}}}}}}\n"
    yield "a power of sixty", f"a: {'1:' * 5_000}1\n"
    yield "infinity", f"{_GRAPH}{{w: {{replicas: .inf, multinode: {{nodeCount: .nan}}}}}}\n"
    yield "an infinite amount", f"{_POD}  - {{resources: {{limits: {{memory: 9e999, cpu: .inf}}}}}}\n"
    amounts = {"memory": "9" * MEGABYTE + "Gi", "cpu": "1" * MEGABYTE, "nvidia.com/gpu": "1e999"}
    yield "amounts of many digits", _pods({"resources": {"limits": amounts, "requests": amounts}})
    yield "a version of many digits", _pods({"image": f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.{digits}.0"})


def _large() -> Named:
    yield "too large", lambda: "#" * 10 * MEGABYTE
    yield "one comment", lambda: "#" * LARGE
    yield "one word", lambda: "a" * LARGE
    yield "one kind", lambda: f"apiVersion: v1\nkind: {'K' * LARGE}\n"
    yield "one kind that is a list", lambda: f"apiVersion: v1\nkind: [{'k, ' * (LARGE // 10)}]\n"
    yield "one name", lambda: f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {'n' * LARGE}}}\nspec: 5\n"
    yield "one script", lambda: pod("x" * LARGE)
    yield "one argument", lambda: _pods({"command": ["vllm", "serve", "x" * LARGE]})


def _many() -> Named:
    yield "many pods", lambda: "".join(_pods({"image": "nginx"}, name=f"p{n}") for n in range(6 * PODS))
    gpu = {"image": "nginx", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    yield "many containers", lambda: _pods(*({**gpu, "name": f"c{n}"} for n in range(5 * PODS)))
    yield (
        "many services",
        lambda: _graph({f"w{n}": {"resources": {"limits": {"gpu": "1"}}} for n in range(PODS)}),
    )
    yield (
        "many engines",
        lambda: _graph(
            {
                f"{mode}{n}": {
                    "subComponentType": mode,
                    "resources": {"limits": {"gpu": "1"}},
                    "extraPodSpec": {
                        "mainContainer": {
                            "command": ["python3", "-m", "dynamo.trtllm", "--disaggregation-mode", mode]
                        }
                    },
                }
                for n in range(1_500)
                for mode in ("prefill", "decode")
            }
        ),
    )
    yield "many kinds", lambda: "".join(_object(f"K{n}", "k") for n in range(5 * PODS))
    yield (
        "many claims",
        lambda: "".join(
            _object("PersistentVolumeClaim", f"c{n}")
            + _pods({}, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": f"c{n}"}}])
            for n in range(PODS)
        ),
    )
    selector = {"podSelector": {"matchLabels": {"a": "b"}}}
    yield (
        "many policies",
        lambda: "".join(
            _object("NetworkPolicy", f"n{n}", "networking.k8s.io/v1", spec=selector) + _pods({}, name=f"p{n}")
            for n in range(PODS)
        ),
    )
    yield "many variables", lambda: _pods({"command": ["vllm", "serve"], "env": _variables(10 * PODS)})
    yield "many words", lambda: _pods({"command": ["vllm", "serve", *["--a"] * 50 * PODS]})


def _variables(number: int) -> list[dict[str, str]]:
    return [{"name": f"A{n}", "value": "x"} for n in range(number)]


def _graph(services: Mapping[str, Any]) -> str:
    return _GRAPH + json.dumps(services)


def _expansions() -> Named:
    chain = {"V0": "x" * 100, **{f"V{n}": f"$(V{n - 1})$(V{n - 1})" for n in range(1, 60)}}
    yield "a variable doubled 200 times", pod("A=x\n" + "A=$A$A;" * 200)
    yield "a variable that grows", pod("A=x\n" + "A=${A}xxxxxxxxxxxxxxxx;" * 1_500)
    yield "a doubled variable of words", pod("A='x '\n" + "A=$A$A;" * 16 + "\necho " + "$A " * 1_000)
    yield "a chain of references 60 deep", pod("A=$V59", chain)
    yield "a script of references", pod("A=$(V9)\n" * 1_000, chain)
    yield "many long variables", pod("A=1", {**chain, **{f"W{n}": "$(V10)" for n in range(1_900)}})
    yield "many containers with long variables", "".join(pod("A=1", chain) for _ in range(1_000))
    yield "an array that doubles", pod("A=(x y)\n" + 'A+=("${A[@]}")\n' * 200)
    here = "".join(f"cat > F{n} <<EOF\n$A$A\nEOF\nA=$A$A\n" for n in range(200))
    yield "here documents that double", pod(f"A=x\n{here}")
    yield "a product of long numbers", pod(f"A=$(({'*'.join(['9' * 4_000] * 20)}))")
    functions = "".join(f"f{n}() {{\nf{n + 1}\nf{n + 1}\n}}\n" for n in range(200))
    yield "functions that call functions", pod(f"{functions}f0\n")


def _scripts() -> Named:
    yield "a giant here document", pod(f"cat > F <<EOF\n{'x' * LARGE}\nEOF\n")
    yield "here documents without an end", pod("cat <<A\n" * 10_000)
    yield "here documents on one line", pod("cat " + "<<A " * 10_000)
    yield "an array in an array", pod("a=(" * 20_000)
    yield "assignments without a command", pod("".join(f"a{n}=1\n" for n in range(PODS)))
    yield "a command after each assignment", pod("".join(f"a{n}=1;b\n" for n in range(PODS)))
    yield "shells in shells", pod("bash -c '" * 5_000)
    yield "shells beside shells", pod("sh " * 40_000)
    yield "brackets without a partner", pod("$(" * 40_000)
    yield "quotes without a partner", pod("\"'" * 40_000)
    yield "functions without an end", pod("a() {\n" * 20_000)


def _patterns() -> Named:
    yield "loops without an end", pod("while true; do sleep 1\n" * 5_000)
    yield "loops on one line", pod(";while" * 20_000)
    yield "blanks in a loop", pod("while true" + " " * 100_000)
    yield "brackets of a comparison", pod("while ((" + "(" * 100_000 + "\nsleep\ndone")
    yield "folders of a model cache", pod("A=/" + "models--" * 15_000)
    yield "tokens without an end", f"{_CONFIG}{'github_pat_' * 500_000}é'}}\n"
    yield "keys without an end", f"{_CONFIG}{'-----BEGIN A ' * 500_000}'}}\n"
    yield "addresses without an end", f"{_CONFIG}{'ab://a:b' * 500_000}'}}\n"
    yield "a storage class of brackets", f"{_CLASS}{'<' * MEGABYTE}'}}\n"
    yield "an image of colons", _pods({"image": ":1." * 500_000})


def _files() -> Named:
    doubled = "".join(f"b{n}: &b{n} [*b{n - 1}, *b{n - 1}]\n" for n in range(1, 40))
    files = {
        "of aliases": f"b0: &b0 [x]\n{doubled}",
        "that is deep": "[" * 5_000,
        "of digits": f"tensor_parallel_size: {'9' * 4_000}\n",
        "with a list for a number": "tensor_parallel_size: [" + "1, " * 10_000 + "]\n",
        "with a tag": "tensor_parallel_size: !!python/name:os.system\n",
        "with a date": "max_batch_size: 2024-13-45\n",
        "with infinite numbers": "kv_cache_config: {free_gpu_memory_fraction: 1e400}\nmax_batch_size: .nan\n",
    }
    for name, text in files.items():
        written = f"cat > /e.yaml <<'EOF'\n{text}EOF\n"
        yield f"an engine file {name}", pod(f"{written}A='4 --extra-engine-args /e.yaml'\n")
    yield "a JSON flag that is deep", pod("A='4 --override-engine-args " + "[" * 50_000 + "'")


def _states() -> Named:
    urn = "urn:pulumi:s::p::kubernetes:core/v1:Pod::p"
    whole = _state([_entry(urn)])
    inputs = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    yield "a state cut off", whole[:-5]
    yield "a state of another version", '{"version": 99, "deployment": {}}'
    yield "a state that begins for ever", '{"version": 1, ' + '"version": 1, ' * 100_000
    yield "a state of features", '{"features": [' + "1, " * 500_000 + '], "version": 3, "deployment": {}}'
    yield "a state that is a list", '{"version": 3, "deployment": []}'
    yield "a state of texts", _state(["x", "y"])
    yield "a state of nested lists", '{"version": 3, "deployment": {"resources": [' + "[" * 100_000
    yield "a state with a deep value", _state([_entry(urn, inputs={**inputs, "spec": deep})])
    yield "a state with NaN", _state([_entry(urn, inputs={**inputs, "spec": {"a": float("nan")}})])
    yield "a state with a long integer", whole.replace("true", "9" * 5_000)
    yield "a state with a timeout of 400 digits", _state([_entry(urn, customTimeouts={"create": 10**400})])
    surrogates = {**inputs, "kind": "\ud800", "metadata": {"name": "\udfff"}}
    yield "a state with lone surrogates", _state([_entry(urn, inputs=surrogates)])
    yield "a state with surrogates in its URN", whole.replace("::p", "::\\ud800")
    yield "a state of parents in a circle", _state([_entry(urn, parent=urn, dependencies=[urn])])
    chain = (_entry(f"{urn}{n}", dependencies=[f"{urn}{n - 1}"] * (n > 0)) for n in range(2 * PODS))
    yield "a state of a chain", _state(list(chain))
    yield "a large state", _state([_entry(f"{urn}{n}", inputs=inputs) for n in range(3 * PODS)])


def _state(resources: Sequence[object]) -> str:
    return json.dumps({"version": 3, "deployment": {"resources": resources}})


def _entry(urn: str, **more: Any) -> Mapping[str, Any]:
    return {"urn": urn, "type": "kubernetes:core/v1:Pod", "custom": True, **more}
