"""How the Job of a benchmark runs: its waits, its place, its privileges and its tools."""

from typing import Any

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, drop, put, text

WAIT = "benchmark-wait-bounded"
OFF = "benchmark-off-its-target"
PRIVILEGE = "benchmark-unprivileged"
TOOLS = "benchmark-tool-pinned"

JOB = "gpt-oss-120b-disagg-bench"
_DOCUMENT = f"Job/{JOB}"
_POD = "spec.template.spec"
_CONTAINER = f"{_POD}.containers[0]"
_SCRIPT = f"{_CONTAINER}.args[0]"
_NO_DEADLINE = drop(_DOCUMENT, "spec.activeDeadlineSeconds")


def _script(old: str, new: str) -> Edit:
    return text(_DOCUMENT, _SCRIPT, old, new)


def _shuns(selector: dict[str, Any]) -> Edit:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return put(_DOCUMENT, f"{_POD}.affinity", {"podAntiAffinity": required})


_NAME = "nvidia.com/dynamo-graph-deployment-name"
_TYPE = "nvidia.com/dynamo-component-type"
_WAITING = "while ! curl -sf $MODELS_URL; do\n  sleep 5\ndone"
_COUNTING = "n=0\nwhile ! curl -sf $MODELS_URL; do\n  n=$((n+1))\n  [ $n -ge 99 ] && exit 1\n  sleep 5\ndone"

CASES = (
    Case(
        WAIT,
        "a loop without an end, and no deadline",
        "disagg-b200",
        (_NO_DEADLINE, _script('python3 -c "$1"', _WAITING)),
        failed(WAIT, JOB),
        ("nothing ends but its condition", "no activeDeadlineSeconds"),
    ),
    Case(
        WAIT,
        "a loop without an end that success leaves",
        "disagg-b200",
        (
            _NO_DEADLINE,
            _script('python3 -c "$1"', "while true; do curl -sf $MODELS_URL && break; sleep 5; done"),
        ),
        failed(WAIT, JOB),
    ),
    Case(
        WAIT,
        "a loop without an end, but a deadline",
        "disagg-b200",
        (_script('python3 -c "$1"', _WAITING),),
        frozenset(),
    ),
    Case(
        WAIT,
        "a loop that counts, and no deadline",
        "disagg-b200",
        (_NO_DEADLINE, _script('python3 -c "$1"', _COUNTING)),
        frozenset(),
    ),
    Case(
        OFF,
        "an anti-affinity to every pod of the graph",
        "disagg-b200",
        (_shuns({"matchExpressions": [{"key": _NAME, "operator": "In", "values": ["gpt-oss-disagg"]}]}),),
        failed(OFF, JOB),
        ("must not share a node with TrtllmDecodeWorker, TrtllmPrefillWorker of gpt-oss-disagg",),
    ),
    Case(
        OFF,
        "an anti-affinity to the frontend alone",
        "disagg-b200",
        (_shuns({"matchLabels": {_NAME: "gpt-oss-disagg", _TYPE: "frontend"}}),),
        frozenset(),
    ),
    Case(
        OFF,
        "an anti-affinity whose operator does not exist",
        "disagg-b200",
        (_shuns({"matchExpressions": [{"key": _NAME, "operator": "Like", "values": ["gpt"]}]}),),
        undecided(OFF, JOB),
        ("operator is Like",),
    ),
    Case(
        OFF,
        "no word about its node",
        "disagg-b200",
        (drop(_DOCUMENT, f"{_POD}.affinity"),),
        failed(OFF, JOB),
        ("says nothing about its node",),
    ),
    Case(
        PRIVILEGE,
        "privileged for a sysctl that the pod may set",
        "disagg-b200",
        (
            put(_DOCUMENT, f"{_CONTAINER}.securityContext.privileged", value=True),
            _script("exec ", 'sysctl -w net.ipv4.ip_local_port_range="1024 65000"\nexec '),
        ),
        failed(PRIVILEGE, JOB),
        ("is privileged to set net.ipv4.ip_local_port_range",),
    ),
    Case(
        TOOLS,
        "a tool in no version",
        "disagg-b200",
        (_script("aiperf==0.13.0", "aiperf"),),
        failed(TOOLS, JOB),
        ("aiperf in whichever version is the newest",),
    ),
    Case(
        TOOLS,
        "a tool from a repository",
        "disagg-b200",
        (_script("aiperf==0.13.0", "git+https://github.com/ai-dynamo/aiperf.git@4d3fa29"),),
        failed(TOOLS, JOB),
        ("git+https://github.com/ai-dynamo/aiperf.git from source",),
    ),
    Case(
        TOOLS,
        "packages of the distribution",
        "disagg-b200",
        (_script("exec ", "apt-get install -y curl jq=1.7.1\nexec "),),
        failed(TOOLS, JOB),
        ("curl by apt-get",),
    ),
)
