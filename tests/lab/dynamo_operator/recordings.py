"""What real operators made of whole graphs, without what others wrote into the objects.

A case is named by its folder: `dynamo-operator-1.2/agg-gb200`. What the 1.4 line made is held as the
difference (unified, without context) from what the 1.2 line made of the same graph.
"""

import copy
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import lab

FOLDER = Path(lab.__file__).parent / "recordings"
CASES = sorted(
    str(path.parent.relative_to(FOLDER)) for path in FOLDER.glob("dynamo-operator-1.2/*/made.yaml")
)
CASES_OF_1_4 = sorted(
    str(path.parent.relative_to(FOLDER)) for path in FOLDER.glob("dynamo-operator-1.4/*/made.diff")
)

Manifest = dict[str, Any]
Name = tuple[str, str]

# Left out of the comparison: the field, wherever it is, with this value, and who writes it.
_BY_THE_API_SERVER: dict[str, Any] = {
    "defaultMode": 420,
    "dnsPolicy": "ClusterFirst",
    "imagePullPolicy": "IfNotPresent",
    "internalTrafficPolicy": "Cluster",
    "ipFamilies": ["IPv4"],
    "ipFamilyPolicy": "SingleStack",
    "progressDeadlineSeconds": 600,
    "revisionHistoryLimit": 10,
    "schedulerName": "default-scheduler",
    "scheme": "HTTP",
    "sessionAffinity": "None",
    "successThreshold": 1,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "type": "ClusterIP",
}
# Left out wherever they are: a count of changes, an old name of serviceAccountName that the API server keeps
# equal, and annotations of the operator's own bookkeeping, whose hashes are over Go's serialisation.
_ANYWHERE = {
    "generation",
    "serviceAccount",
    "deployment.kubernetes.io/revision",
    "nvidia.com/last-applied-generation",
    "nvidia.com/last-applied-hash",
}
# Left out of the annotations that carry one version's fields through the other: zero values of Go.
_ZERO = ("", "0", None, {})
_HUNK = re.compile(r"@@ -(?P<start>\d+)(,(?P<count>\d+))? ")


def applied_graph(case: str) -> Manifest:
    """The graph as it was applied, in its own version."""
    (graph,) = [each for each in _documents(case, "applied") if each["kind"] == "DynamoGraphDeployment"]
    return graph


def recorded(case: str) -> dict[Name, Manifest]:
    """Every object by kind and name, with its status."""
    return {(each["kind"], each["metadata"]["name"]): each for each in _documents(case, "made")}


def without_what_others_wrote(manifest: Manifest) -> Manifest:
    """The object's metadata and content; statuses are compared by a test of their own."""
    manifest = {key: value for key, value in manifest.items() if key != "status"}
    cleaned: Manifest = _cleaned(manifest)
    annotations = cleaned["metadata"].get("annotations")
    for key in ("nvidia.com/dgd-spec", "nvidia.com/dcd-spec"):
        if annotations and key in annotations:
            annotations[key] = _without_zero(json.loads(annotations[key]))
    return cleaned


def _documents(case: str, file: str) -> list[Manifest]:
    return copy.deepcopy(_read(case, file))


@cache
def _read(case: str, file: str) -> list[Manifest]:
    _, name = case.split("/")
    # Of one graph the 1.4 line saw two: with the runtime's image of either line.
    twin = FOLDER / "dynamo-operator-1.2" / name.removesuffix("-image142") / f"{file}.yaml"
    lines, difference = twin.read_text(encoding="utf-8").splitlines(), FOLDER / case / f"{file}.diff"
    if difference.exists():
        lines = _patched(lines, difference.read_text(encoding="utf-8").splitlines())
    return [each for each in yaml.load_all("\n".join(lines), yaml.CSafeLoader) if each]


def _patched(lines: list[str], difference: list[str]) -> list[str]:
    patched: list[str] = []
    done = 0
    for each in difference:
        if hunk := _HUNK.match(each):
            count = int(hunk["count"] or 1)
            # One that takes nothing away stands behind the line of its number.
            start = int(hunk["start"]) - (count > 0)
            patched += lines[done:start]
            done = start + count
        elif each.startswith("+"):
            patched.append(each[1:])
    return patched + lines[done:]


def _cleaned(node: Any) -> Any:
    if isinstance(node, list):
        return [_cleaned(each) for each in node]
    if not isinstance(node, dict):
        return node
    rest = {
        key: _cleaned(value)
        for key, value in node.items()
        if key not in _ANYWHERE and not (key in _BY_THE_API_SERVER and _BY_THE_API_SERVER[key] == value)
    }
    if "fieldPath" in rest:
        rest.pop("apiVersion", None)
    rest.pop("uid", None)
    return {key: value for key, value in rest.items() if key != "annotations" or value}


def _without_zero(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_zero(each) for each in node]
    if not isinstance(node, dict):
        return node
    pruned = {key: _without_zero(value) for key, value in node.items()}
    return {key: value for key, value in pruned.items() if value not in _ZERO}
