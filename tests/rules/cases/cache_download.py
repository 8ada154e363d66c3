"""The Secrets that a download and others around a model name."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, document, put
from tests.rules.serving_edits import DOWNLOAD, GRAPH, SERVER

SECRETS = "named-secrets-exist"
JOB = "model-download"
_WORKER = "spec.services.TrtllmWorker"
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
        SECRETS,
        "a token that nothing here makes",
        "agg-gb200",
        (
            put(GRAPH, f"{_WORKER}.envFromSecret", "hf-token-secret"),
            add(DOWNLOAD, f"{SERVER}.env", _TOKEN),
        ),
        undecided(SECRETS, "hf-token-secret"),
        ("nothing that was read makes this Secret, which model-download, TrtllmWorker names",),
    ),
    Case(
        SECRETS,
        "a token under another key",
        "agg-gb200",
        (add(DOWNLOAD, f"{SERVER}.env", _TOKEN), document(_SECRET.format(key="token"))),
        failed(SECRETS, JOB),
        ("takes HF_TOKEN from key HF_TOKEN of Secret hf-token-secret, which has token",),
    ),
    Case(
        SECRETS,
        "a token under its key",
        "agg-gb200",
        (add(DOWNLOAD, f"{SERVER}.env", _TOKEN), document(_SECRET.format(key="HF_TOKEN"))),
    ),
    Case(
        SECRETS,
        "a key that the ConfigMap does not have",
        "agg-gb200",
        (
            add(
                DOWNLOAD,
                f"{SERVER}.env",
                {"name": "HUB", "valueFrom": {"configMapKeyRef": {"name": "hub", "key": "adress"}}},
            ),
            document("""
apiVersion: v1
kind: ConfigMap
metadata: {name: hub, namespace: gpt-oss}
data: {address: hub.example.com}
"""),
        ),
        failed(SECRETS, JOB),
        ("takes HUB from key adress of ConfigMap hub, which has address",),
    ),
)
