"""Credentials that stand where they can be read."""

import base64
import json

from tests.rules.case import On
from tests.rules.edits import Edit, add, document, text
from tests.rules.exports import LATER, append
from tests.rules.exports import resource as of_state
from tests.rules.names import DOWNLOAD, GRAPH, SERVER, VLLM_MAIN

PLAIN = "secrets-not-in-plain-values"
MARKED = "secrets-marked-secret"

# Made here, so that no scanner takes this file for a leak.
TOKEN = "hf_" + "planted" * 6
IN_BASE64 = base64.encodebytes(f"token={TOKEN}\n".encode()).decode()
"""In several lines, as `base64` writes it."""
OF_EACH_KIND = {
    "a password in an address": "servers: nats://dynamo:swordfish@nats:4222",
    "an NGC API key": "nvapi-" + "planted-" * 5,
    "an AWS access key": "AKIA" + "PLANTED0" * 2,
    "a GitHub token": "gho_" + "planted" * 6,
    "a private key": "-----BEGIN EC " + "PRIVATE KEY-----",
}

DECODE = "spec.services.TrtllmDecodeWorker"
MAIN = f"{DECODE}.extraPodSpec.mainContainer"


def _secret(key: str, value: str) -> Edit:
    return document(f"""
apiVersion: v1
kind: Secret
metadata: {{name: hf-token-secret, namespace: gpt-oss}}
{key}: {{HF_TOKEN: {json.dumps(value)}, keystore: /u3+7Q==}}
""")


CASES = (
    On(PLAIN, "disagg-b200", "TrtllmDecodeWorker", "model-download", "clients").fails(
        "credentials in environments, on a command line and in a server's configuration",
        "variable HF_TOKEN of container main holds a Hugging Face token",
        add(GRAPH, f"{MAIN}.env", {"name": "HF_TOKEN", "value": TOKEN}),
        "variable DB_PASSWORD of container main holds a value called DB_PASSWORD",
        add(GRAPH, f"{MAIN}.env", {"name": "DB_PASSWORD", "value": "dummy-R3alP4ssw0rd"}),
        "variable LETTERS_PASSWORD of container main holds a value called LETTERS_PASSWORD",
        add(GRAPH, f"{MAIN}.env", {"name": "LETTERS_PASSWORD", "value": "your-correct-horse"}),
        "variable password of container main holds a value called password",
        add(GRAPH, f"{MAIN}.env", {"name": "password", "value": "password"}),
        "variable REDIS_PASSWORD of service TrtllmDecodeWorker holds a value called REDIS_PASSWORD",
        add(GRAPH, f"{DECODE}.envs", {"name": "REDIS_PASSWORD", "value": "tr0mbone"}),
        tuple(f"{key} of container download holds a Hugging Face token" for key in ("args", "command")),
        add(DOWNLOAD, f"{SERVER}.command", TOKEN),
        text(DOWNLOAD, f"{SERVER}.args.0", "hf download", f"hf download --token {TOKEN}"),
        tuple(f"data.{kind[2:]}.conf holds {kind}" for kind in OF_EACH_KIND),
        document(f"""
apiVersion: v1
kind: ConfigMap
metadata: {{name: clients, namespace: gpt-oss}}
data: {json.dumps({f"{kind[2:]}.conf": value for kind, value in OF_EACH_KIND.items()})}
"""),
    ),
    On(PLAIN, "disagg-b200", "Frontend", "TrtllmPrefillWorker", "TrtllmDecodeWorker").fails(
        "a token for all services of a graph",
        "variable hub of the graph holds a Hugging Face token",
        add(GRAPH, "spec.envs", {"name": "hub", "value": TOKEN}),
    ),
    On(PLAIN, "vllm-agg", "Frontend", "VllmWorker").fails(
        "a token for all components of a graph",
        "variable hub of the graph holds a Hugging Face token",
        add(GRAPH, "spec.env", {"name": "hub", "value": TOKEN}),
    ),
    On(PLAIN, "disagg-b200").passes(
        "names that only look like it",
        add(GRAPH, f"{MAIN}.env", {"name": "TOKENIZERS_PARALLELISM", "value": "not-at-all"}),
        add(GRAPH, f"{MAIN}.env", {"name": "HF_TOKEN", "value": ""}),
        add(GRAPH, f"{MAIN}.env", {"name": "AWS_WEB_IDENTITY_TOKEN_FILE", "value": "/var/run/token"}),
        add(GRAPH, f"{MAIN}.env", {"name": "API_KEY", "value": "/etc/keys/api"}),
        add(GRAPH, f"{MAIN}.env", {"name": "HUB_TOKEN", "value": "$(HF_TOKEN)"}),
        add(GRAPH, f"{MAIN}.env", {"name": "NGC_API_KEY", "value": "<your-api-key>"}),
        add(GRAPH, f"{MAIN}.env", {"name": "LLM_API_KEY", "value": "not-needed"}),
        add(GRAPH, f"{MAIN}.env", {"name": "WANDB_API_KEY", "value": "your-wandb-key-here-123"}),
        add(GRAPH, f"{MAIN}.env", {"name": "SOME_API_KEY", "value": "dummy-0123"}),
        add(GRAPH, f"{MAIN}.env", {"name": "OTHER_API_KEY", "value": "OTHER_API_KEY"}),
        add(GRAPH, f"{MAIN}.env", {"name": "NVIDIA_API_KEY", "value": "nvapi-NVKEY"}),
        add(GRAPH, f"{MAIN}.env", {"name": "REDIS_PASSWORD", "value": "vault://redis"}),
        add(GRAPH, f"{MAIN}.env", {"name": "ADMIN_PASSWORD", "value": "enabled"}),
        add(GRAPH, f"{MAIN}.env", {"value": "a variable without a name"}),
    ),
    On(PLAIN, "disagg-b200", "hf-token-secret").fails(
        "a token of a Secret, as it is and in base64",
        tuple(f"{key}.HF_TOKEN, in a file, holds a Hugging Face token" for key in ("stringData", "data")),
        _secret("stringData", TOKEN),
        _secret("data", IN_BASE64),
    ),
    On(PLAIN, "program-on-eks", "VllmWorker").is_undecided(
        "a token that is not known yet and no reference",
        "variable HF_TOKEN of container main has a value that is not known here",
        append(f"{GRAPH}/graph", f"inputs.{VLLM_MAIN}.env", {"name": "HF_TOKEN", "value": LATER}),
    ),
    On(MARKED, "program-on-eks", "token", "platform").fails(
        "a Secret that is not marked, and passwords among a chart's values",
        tuple(
            f"{key}.HF_TOKEN holds a value of a Secret and is not marked" for key in ("stringData", "data")
        ),
        of_state("Secret/token", "inputs.stringData", {"HF_TOKEN": "anything"}),
        of_state("Secret/token", "inputs.data", {"HF_TOKEN": "anything"}),
        "values.grafana.adminPassword holds a value called",
        "values.users[1].password holds a value called",
        of_state("Release/platform", "inputs.values.grafana", {"adminPassword": "correct horse"}),
        of_state("Release/platform", "inputs.values.users", [{}, {"password": "correct horse"}]),
    ),
    *(
        On(MARKED, "program-on-eks", "cluster").fails(
            f"a kubeconfig with {credential}",
            "kubeconfig holds credentials of a cluster",
            of_state("kubernetes/cluster", "inputs.kubeconfig", f"users: [{{user: {{{credential}: x}}}}]"),
        )
        for credential in ("client-key-data", "token", '"token"')
    ),
    On(MARKED, "program-on-eks").passes(
        "a kubeconfig that asks a command for its token",
        of_state("kubernetes/cluster", "inputs.kubeconfig", "users: [{user: {exec: {command: aws}}}]"),
    ),
    On(MARKED, "disagg-b200-state", "serving-namespace").fails(
        "a token among a component's inputs",
        "hfToken holds a Hugging Face token and is not marked as secret",
        of_state("components:Namespace/serving-namespace", "inputs.hfToken", TOKEN),
    ),
)
