"""The download into the model cache: its tool, its memory, its token."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, document, drop, put, text, variable

TOOL = "download-tool-current"
MEMORY = "download-memory-limited"
SECRETS = "named-secrets-exist"
GRAPH = "DynamoGraphDeployment"
DOWNLOAD = "Job/model-download"
JOB = "model-download"
_WORKER = "spec.services.TrtllmWorker"
_CONTAINER = "spec.template.spec.containers[0]"
_SCRIPT = f"{_CONTAINER}.args[0]"
_TOKEN = {
    "name": "HF_TOKEN",
    "valueFrom": {"secretKeyRef": {"name": "hf-token-secret", "key": "HF_TOKEN"}},
}
_SECRET = """
apiVersion: v1
kind: Secret
metadata: {{name: hf-token-secret, namespace: gpt-oss}}
stringData: {{{key}: not-a-token}}
"""

CASES = (
    Case(
        TOOL,
        "a variable that the installed version does not read",
        "agg-gb200",
        (variable(DOWNLOAD, f"{_CONTAINER}.env", "HF_HUB_ENABLE_HF_TRANSFER", "1"),),
        failed(TOOL, JOB),
        ("huggingface_hub==1.11.0 does not read any more",),
    ),
    Case(
        TOOL,
        "a variable that the installed version reads",
        "agg-gb200",
        (
            variable(DOWNLOAD, f"{_CONTAINER}.env", "HF_HUB_ENABLE_HF_TRANSFER", "1"),
            text(DOWNLOAD, _SCRIPT, "huggingface_hub==1.11.0", "huggingface_hub[hf_transfer]==0.36.0"),
        ),
        frozenset(),
    ),
    Case(
        MEMORY,
        "a download without memory",
        "agg-gb200",
        (drop(DOWNLOAD, f"{_CONTAINER}.resources"),),
        failed(MEMORY, JOB),
        ("asks for no memory",),
    ),
    Case(
        MEMORY,
        "a download without a limit",
        "agg-gb200",
        (drop(DOWNLOAD, f"{_CONTAINER}.resources.limits"),),
        failed(MEMORY, JOB),
        ("requests memory without a limit",),
    ),
    Case(
        SECRETS,
        "a token that nothing here makes",
        "agg-gb200",
        (
            put(GRAPH, f"{_WORKER}.envFromSecret", "hf-token-secret"),
            add(DOWNLOAD, f"{_CONTAINER}.env", _TOKEN),
        ),
        undecided(SECRETS, "hf-token-secret"),
        ("nothing that was read makes this Secret, which model-download, TrtllmWorker names",),
    ),
    Case(
        SECRETS,
        "a token under another key",
        "agg-gb200",
        (add(DOWNLOAD, f"{_CONTAINER}.env", _TOKEN), document(_SECRET.format(key="token"))),
        failed(SECRETS, JOB),
        ("takes HF_TOKEN from key HF_TOKEN of Secret hf-token-secret, which has token",),
    ),
    Case(
        SECRETS,
        "a token under its key",
        "agg-gb200",
        (add(DOWNLOAD, f"{_CONTAINER}.env", _TOKEN), document(_SECRET.format(key="HF_TOKEN"))),
        frozenset(),
    ),
)
