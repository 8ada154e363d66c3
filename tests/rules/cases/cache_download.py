"""The Secrets that a download and others around a model name."""

from tests.rules.case import On
from tests.rules.edits import add, document, put, variable
from tests.rules.names import DOWNLOAD, GRAPH, SERVER

SECRETS = "named-secrets-exist"
_TOKEN = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token-secret", "key": "HF_TOKEN"}}}
_SECRET = """
apiVersion: v1
kind: Secret
metadata: {{name: hf-token-secret, namespace: gpt-oss}}
stringData: {{{key}: not-a-token}}
"""

CASES = (
    On(SECRETS, "agg-gb200", "model-download").fails(
        "a token that nothing here makes, and a key that the ConfigMap does not have",
        "nothing that was read makes this Secret, which model-download, TrtllmWorker names",
        put(GRAPH, "spec.services.TrtllmWorker.envFromSecret", "hf-token-secret"),
        add(DOWNLOAD, f"{SERVER}.env", _TOKEN),
        "takes HUB from key adress of ConfigMap hub, which has address",
        variable(DOWNLOAD, f"{SERVER}.env", "HUB", {"configMapKeyRef": {"name": "hub", "key": "adress"}}),
        document(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: hub, namespace: gpt-oss}, data: {address: a}}"
        ),
        undecided_for=("hf-token-secret",),
    ),
    On(SECRETS, "agg-gb200", "model-download").fails(
        "a token under another key",
        "takes HF_TOKEN from key HF_TOKEN of Secret hf-token-secret, which has token",
        add(DOWNLOAD, f"{SERVER}.env", _TOKEN),
        document(_SECRET.format(key="token")),
    ),
    On(SECRETS, "agg-gb200").passes(
        "a token by its key", add(DOWNLOAD, f"{SERVER}.env", _TOKEN), document(_SECRET.format(key="HF_TOKEN"))
    ),
)
