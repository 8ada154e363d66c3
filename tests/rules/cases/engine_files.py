"""Files and JSON texts that an engine reads its settings from."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, put
from tests.rules.serving_edits import WORKER, variable, worker_flags

READABLE = "engine-settings-accepted"
SERVE, VLLM = "trtllm-serve", "vllm-serve"

_CONFIG_MAP = "ConfigMap/trtllm-serve-max-throughput"
_ARGS = "spec.template.spec.containers[0].args"
_ENV = "spec.template.spec.containers[0].env"
_LABEL = {"fieldPath": "metadata.labels['draft']"}


def _content(value: str) -> Edit:
    return put(_CONFIG_MAP, "data", {"max_throughput.yaml": value})


def _vllm_flag(flag: str) -> Edit:
    return add("Deployment/vllm-serve", _ARGS, flag)


CASES = (
    Case(
        READABLE,
        "a file that the ConfigMap has not",
        SERVE,
        (put(_CONFIG_MAP, "data", {"low_latency.yaml": "max_seq_len: 2048"}),),
        failed(READABLE, "engine"),
        ("has no key max_throughput.yaml", "its keys: low_latency.yaml"),
    ),
    Case(
        READABLE,
        "a file that is no YAML",
        SERVE,
        (_content("moe_config: [CUTLASS\n"),),
        failed(READABLE, "engine"),
        ("max_throughput.yaml of ConfigMap", "line 2: not YAML"),
    ),
    Case(
        READABLE,
        "an empty file",
        SERVE,
        (_content(""),),
        failed(READABLE, "engine"),
        ("is empty, not a mapping of engine settings",),
    ),
    Case(
        READABLE,
        "an override in both of its ways",
        "agg-gb200",
        (worker_flags(WORKER, "--override-engine-args '{}' --trtllm.max_seq_len 2048"),),
        failed(READABLE, WORKER),
        ("--override-engine-args and --trtllm.* exclude each other",),
    ),
    Case(
        READABLE,
        "a KV transfer that a shell has taken the quotation marks of",
        VLLM,
        (_vllm_flag("--kv-transfer-config={kv_connector:NixlConnector,kv_role:kv_both}"),),
        failed(READABLE, "engine"),
        ("--kv-transfer-config is no JSON",),
    ),
    Case(
        READABLE,
        "a speculation that a label of the pod holds",
        VLLM,
        (
            add("Deployment/vllm-serve", _ENV, {"name": "DRAFT", "valueFrom": {"fieldRef": _LABEL}}),
            _vllm_flag("--speculative-config=$(DRAFT)"),
        ),
        undecided(READABLE, "engine"),
        ("the value of --speculative-config is unknown",),
    ),
    Case(
        READABLE,
        "a path beside the directory where the file is mounted",
        "agg-gb200",
        (variable(WORKER, "ENGINE_ARGS", "/etc/dynamo/worker.yaml"),),
        failed(READABLE, WORKER),
        ("lies in no mounted volume; /opt/dynamo/configs has worker.yaml",),
    ),
)
