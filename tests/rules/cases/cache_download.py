"""The Secrets that a download and others around a model name."""

from tests.rules.case import On
from tests.rules.edits import add, document, put
from tests.rules.names import DOWNLOAD, GRAPH, SERVER

SECRETS = "named-secrets-exist"
JOB = "model-download"
_TOKEN = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token-secret", "key": "HF_TOKEN"}}}
_SECRET = """
apiVersion: v1
kind: Secret
metadata: {{name: hf-token-secret, namespace: gpt-oss}}
stringData: {{{key}: not-a-token}}
"""

CASES = (
    On(SECRETS, "agg-gb200", JOB).fails(
        "a token that nothing here makes, and a key that the ConfigMap does not have",
        "nothing that was read makes this Secret, which model-download, TrtllmWorker names",
        put(GRAPH, "spec.services.TrtllmWorker.envFromSecret", "hf-token-secret"),
        add(DOWNLOAD, f"{SERVER}.env", _TOKEN),
        "takes HUB from key adress of ConfigMap hub, which has address",
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
        undecided_for=("hf-token-secret",),
    ),
    On(SECRETS, "agg-gb200", JOB).fails(
        "a token under another key",
        "takes HF_TOKEN from key HF_TOKEN of Secret hf-token-secret, which has token",
        add(DOWNLOAD, f"{SERVER}.env", _TOKEN),
        document(_SECRET.format(key="token")),
    ),
    On(SECRETS, "agg-gb200").passes(
        "a token under its key",
        add(DOWNLOAD, f"{SERVER}.env", _TOKEN),
        document(_SECRET.format(key="HF_TOKEN")),
    ),
)
