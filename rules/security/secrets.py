"""Places of credentials, and who can read them there.

Credentials are told by their shape or by the name that they are given, and are never shown.
"""

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from resource_graph import UNKNOWN, Aspect, Path, Resource, ResourceGraph, Value
from rules.reading.objects.schemas import dotted
from rules.reading.pods.containers import all_containers, environments_around
from rules.reading.pods.pods import PodTemplate
from rules.reading.releases import CHART_TYPES
from rules.reading.shapes import Undecided, mappings_at, text_at
from rules.rule import (
    EVERY_RELEASE,
    POD_TEMPLATES,
    Observation,
    Said,
    Severity,
    Subjects,
    failed,
    graph_rule,
    kubernetes_objects,
)

_SHAPES: Mapping[str, tuple[tuple[str, ...], re.Pattern[str]]] = {
    "a Hugging Face token": (("hf_",), re.compile(r"\bhf_[A-Za-z0-9]{30,}\b")),
    "an AWS access key": (("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    "an NGC API key": (("nvapi-",), re.compile(r"\bnvapi-[A-Za-z0-9_-]{40,}")),
    "a GitHub token": (
        ("gh", "github_pat_"),
        re.compile(r"\b(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,255})\b"),
    ),
    "a private key": (("PRIVATE KEY",), re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----")),
    "a password in an address": (
        ("://",),
        re.compile(r"[a-z+]{2,12}://[^\s/:@'\"$]+:[^\s/@'\"$]+@[A-Za-z0-9]"),
    ),
}
"""Kind -> what such a text must contain, which is faster to look for, and its shape."""
_NAMED = re.compile(
    r"(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))(?i:token|password|passwd|api[_-]?key|secret[_-]?access[_-]?key|"
    r"client[_-]?secret)$"
)
"""HF_TOKEN, adminPassword, ngc-api-key; not TOKENIZERS_PARALLELISM, not tokenSecretName."""
_SHORTEST = 8
"""Characters of the shortest credential; shorter values of such names are flags and numbers."""
_STANDS_FOR_ONE = re.compile(
    r"<[^>]*>|(?:hf_|nvapi-)[a-z_-]{0,29}"
    r"|(?:not?[-_ ](?:needed|required|used|key|token)"
    r"|(?:dummy|your)(?=[-_. !\d]*$|.*[-_. ](?:(?:api)?key|token|password|secret|value|here)(?![a-z])))"
    r"(?:[-_. ]+(?:[a-z]{1,12}\d{0,3}|\d{1,4}))*[-_. !]*",
    re.IGNORECASE,
)
"""What stands where a credential belongs: <your-hf-token>, hf_xxx, not-needed, dummy_key; no dummy-horse."""
_Leaf = tuple[Path, str, Value]
"""Path of a value, the name that it is given, and the value."""
_Credential = Callable[[str, str], str | None]
"""What kind of credential a value of that name and text is."""
_IN_KUBECONFIG = ("client-key-data", "token:", '"token"')


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Every reader of pods, ConfigMaps or the repository has the credential, and it stays in the history "
        "of each after it was taken out."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/secret/",
    lines=EVERY_RELEASE,
    fix="Put it into a Secret and refer to it by secretKeyRef; take back the credential that was readable.",
)
def secrets_not_in_plain_values(graph: ResourceGraph) -> Iterator[Observation]:
    """Credential stands in a plain value."""
    yield from POD_TEMPLATES.judge(graph, _in_template)
    yield from kubernetes_objects("ConfigMap").judge(graph, partial(_in_object, {"data": _credential_in}))
    written = {"stringData": _credential_in, "data": _credential_in_base64}
    # What a program hands to the cluster as a Secret is judged by what it marked.
    secrets = Subjects(lambda graph: (each for each in graph.kubernetes_objects("Secret") if each.origin))
    yield from secrets.judge(graph, partial(_in_object, written))


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "What is not marked stands in plain in the stack's state, in every backup of it and in the output of "
        "each preview."
    ),
    source="https://www.pulumi.com/docs/iac/concepts/secrets/",
    lines=EVERY_RELEASE,
    fix="Read it with config.require_secret, or wrap it in pulumi.Output.secret.",
    reads=frozenset({Aspect.SECRETS}),
)
def secrets_marked_secret(graph: ResourceGraph) -> Iterator[Observation]:
    """Credential is not marked as secret by the program."""
    releases = chain.from_iterable(map(graph.of_type, CHART_TYPES))
    places: tuple[tuple[Iterable[Resource], tuple[str, ...], _Credential], ...] = (
        (graph.kubernetes_objects("Secret"), ("stringData", "data"), lambda _, __: "a value of a Secret"),
        (releases, ("values",), _credential_called),
        (graph.of_type("pulumi:providers:kubernetes"), ("kubeconfig",), _kubeconfig_credential),
        (graph.components(), (), _credential_called),
    )
    for resources, keys, credential in places:
        for resource in resources:
            for key in keys or resource.inputs:
                yield from _unmarked(resource, key, credential)


def _credential_in(_name: str, text: str) -> str | None:
    """What kind of credential stands in a text; None for none."""
    for kind, (marks, shape) in _SHAPES.items():
        if any(mark in text for mark in marks) and shape.search(text):
            return kind
    return None


def _credential_called(name: str, text: str) -> str | None:
    """The kind of credential that a value is, by its text or its name; None where it is none."""
    found = _credential_in(name, text)
    if found is not None:
        return found
    # A reference, a path or an address names where the credential is; a name alone waits for its value.
    is_literal = len(text) >= _SHORTEST and not text.startswith("/") and "$" not in text and "://" not in text
    is_one = is_literal and text != name.upper() and not _STANDS_FOR_ONE.fullmatch(text)
    return f"a value called {name}" if is_one and _NAMED.search(name) else None


def _credential_in_base64(name: str, text: str) -> str | None:
    """The kind of credential that an entry in the `data` of a Secret is; None where it is none."""
    try:
        # Kubernetes takes an entry in several lines, as base64 writes it.
        return _credential_in(name, base64.b64decode(text).decode("utf-8"))
    except ValueError:
        return None


def _kubeconfig_credential(_name: str, text: str) -> str | None:
    return "credentials of a cluster" if any(mark in text for mark in _IN_KUBECONFIG) else None


def _leaves(value: Value, path: Path = (), name: str = "") -> Iterator[_Leaf]:
    """Everything in a value that is neither a mapping nor a list."""
    if isinstance(value, (dict, Mapping)):
        for key, item in value.items():
            yield from _leaves(item, (*path, key), key)
    elif not isinstance(value, str) and isinstance(value, (list, Sequence)):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index), name)
    else:
        yield path, name, value


def _in_template(_graph: ResourceGraph, template: PodTemplate) -> Iterator[Said]:
    for where, entries in _environments(template):
        for entry in entries:
            name = text_at(entry, "name") or ""
            yield from _judged(f"variable {name} of {where}", name, entry.get("value"), _credential_called)
    for name, container in all_containers(template):
        for key in ("command", "args"):
            for _, _, value in _leaves(container.get(key)):
                yield from _judged(f"{key} of container {name}", "", value, _credential_in)


def _environments(template: PodTemplate) -> Iterator[tuple[str, Sequence[Mapping[str, Value]]]]:
    yield from environments_around(template)
    for name, container in all_containers(template):
        yield f"container {name}", mappings_at(container, "env")


def _in_object(parts: Mapping[str, _Credential], _graph: ResourceGraph, resource: Resource) -> Iterator[Said]:
    beside = ", in a file," if resource.kind == "Secret" else ""
    for part, credential in parts.items():
        for where, name, leaf in _leaves(resource.inputs.get(part), (part,)):
            yield from _judged(f"{dotted(where)}{beside}", name, leaf, credential)


def _judged(what: str, name: str, value: Value, credential: _Credential) -> Iterator[Said]:
    if value is UNKNOWN:
        yield Undecided(f"{what} has a value that is not known here")
    elif isinstance(value, str) and (kind := credential(name, value)) is not None:
        yield f"{what} holds {kind}"


def _unmarked(resource: Resource, key: str, credential: _Credential) -> Iterator[Observation]:
    marked = resource.secret_paths or frozenset()
    for path, name, leaf in _leaves(resource.inputs.get(key), (key,), key):
        # The program may have marked something around the value.
        if marked and any(path[:length] in marked for length in range(1, len(path) + 1)):
            continue
        if isinstance(leaf, str) and leaf and (kind := credential(name, leaf)) is not None:
            yield failed(resource, resource.name, f"{dotted(path)} holds {kind} and is not marked as secret")
