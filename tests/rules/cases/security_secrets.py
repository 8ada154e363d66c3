"""Credentials that stand where they can be read."""

import base64

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, add, document, text
from tests.rules.exports import LATER, append
from tests.rules.exports import resource as of_state
from tests.rules.serving_edits import GRAPH

PLAIN = "secrets-not-in-plain-values"
MARKED = "secrets-marked-secret"

# Made here, so that no scanner takes this file for a leak.
TOKEN = "hf_" + "planted" * 6
NGC = "nvapi-" + "planted-" * 8
IN_BASE64 = base64.b64encode(f"token={TOKEN}\n".encode()).decode()

DECODE = "spec.services.TrtllmDecodeWorker"
MAIN = f"{DECODE}.extraPodSpec.mainContainer"
EKS_GRAPH = "DynamoGraphDeployment/graph"
EKS_ENV = "inputs.spec.components.1.podTemplate.spec.containers.0.env"


def _secret(key: str, value: str) -> Edit:
    return document(f"""
apiVersion: v1
kind: Secret
metadata: {{name: hf-token-secret, namespace: gpt-oss}}
{key}: {{HF_TOKEN: "{value}"}}
""")


CASES = (
    Case(
        PLAIN,
        "a token in a container's environment",
        "disagg-b200",
        (add(GRAPH, f"{MAIN}.env", {"name": "HF_TOKEN", "value": TOKEN}),),
        failed(PLAIN, "TrtllmDecodeWorker"),
        ("variable HF_TOKEN of container main holds a Hugging Face token",),
    ),
    Case(
        PLAIN,
        "a password that only its name tells",
        "disagg-b200",
        (add(GRAPH, f"{DECODE}.envs", {"name": "REDIS_PASSWORD", "value": "correct horse"}),),
        failed(PLAIN, "TrtllmDecodeWorker"),
        ("variable REDIS_PASSWORD of service TrtllmDecodeWorker holds a value called REDIS_PASSWORD",),
    ),
    Case(
        PLAIN,
        "names that only look like it",
        "disagg-b200",
        (
            add(GRAPH, f"{MAIN}.env", {"name": "TOKENIZERS_PARALLELISM", "value": "not-at-all"}),
            add(GRAPH, f"{MAIN}.env", {"name": "HF_TOKEN", "value": ""}),
            add(GRAPH, f"{MAIN}.env", {"name": "AWS_WEB_IDENTITY_TOKEN_FILE", "value": "/var/run/token"}),
            add(GRAPH, f"{MAIN}.env", {"name": "API_KEY", "value": "/etc/keys/api"}),
            add(GRAPH, f"{MAIN}.env", {"name": "HUB_TOKEN", "value": "$(HF_TOKEN)"}),
        ),
    ),
    Case(
        PLAIN,
        "a token on a command line",
        "disagg-b200",
        (
            text(
                "Job/model-download",
                "spec.template.spec.containers.0.args.0",
                "hf download",
                f"hf download --token {TOKEN}",
            ),
        ),
        failed(PLAIN, "model-download"),
        ("args of container download holds a Hugging Face token",),
    ),
    Case(
        PLAIN,
        "a password in a server's configuration",
        "disagg-b200",
        (
            document("""
apiVersion: v1
kind: ConfigMap
metadata: {name: clients, namespace: gpt-oss}
data: {clients.conf: "servers: nats://dynamo:swordfish@nats:4222"}
"""),
        ),
        failed(PLAIN, "clients"),
        ("data.clients.conf holds a password in an address",),
    ),
    Case(
        PLAIN,
        "the same in base64",
        "disagg-b200",
        (_secret("data", IN_BASE64),),
        failed(PLAIN, "hf-token-secret"),
        ("data.HF_TOKEN, in a file, holds a Hugging Face token",),
    ),
    Case(
        PLAIN,
        "a token that is not known yet and no reference",
        "program-on-eks",
        (append(EKS_GRAPH, EKS_ENV, {"name": "HF_TOKEN", "value": LATER}),),
        undecided(PLAIN, "VllmWorker"),
        ("variable HF_TOKEN of container main has a value that is not known here",),
    ),
    Case(
        MARKED,
        "a Secret that is not marked",
        "program-on-eks",
        (of_state("Secret/token", "inputs.stringData", {"HF_TOKEN": "anything"}),),
        failed(MARKED, "token"),
        ("stringData.HF_TOKEN holds a value of a Secret and is not marked as secret",),
    ),
    Case(
        MARKED,
        "a password among a chart's values",
        "program-on-eks",
        (of_state("Release/platform", "inputs.values.grafana", {"adminPassword": "correct horse"}),),
        failed(MARKED, "platform"),
        ("values.grafana.adminPassword holds a value called adminPassword",),
    ),
    Case(
        MARKED,
        "a kubeconfig with a client's key",
        "program-on-eks",
        (of_state("kubernetes/cluster", "inputs.kubeconfig", "users: [{user: {client-key-data: x}}]"),),
        failed(MARKED, "cluster"),
        ("kubeconfig holds credentials of a cluster",),
    ),
    Case(
        MARKED,
        "a token among a component's inputs",
        "disagg-b200-state",
        (of_state("components:Namespace/serving-namespace", "inputs.hfToken", TOKEN),),
        failed(MARKED, "serving-namespace"),
        ("hfToken holds a Hugging Face token and is not marked as secret",),
    ),
)
