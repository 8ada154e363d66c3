"""ConfigMaps that graphs share by mistake."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, document
from tests.rules.exports import LATER
from tests.rules.exports import resource as of_state

UNIQUE = "config-names-unique"

_OTHER = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, namespace: {namespace}}}
data: {{config.yaml: "{content}"}}
"""


def _config(name: str, namespace: str, content: str = "stream_interval: 20") -> Edit:
    return document(_OTHER.format(name=name, namespace=namespace, content=content))


_BOTH = (_config("llm-config", "gpt-oss"), _config("llm-config", "gpt-oss", "stream_interval: 10"))
_TWO_IN_STATE = document("""
type: kubernetes:core/v1:ConfigMap
name: first
inputs: {apiVersion: v1, kind: ConfigMap, metadata: {name: llm-config, namespace: gpt-oss}, data: {a: "1"}}
---
type: kubernetes:core/v1:ConfigMap
name: second
inputs: {apiVersion: v1, kind: ConfigMap, metadata: {name: llm-config, namespace: gpt-oss}, data: {a: "2"}}
""")

CASES = (
    Case(
        UNIQUE,
        "two of one name in one namespace",
        "vllm-agg",
        _BOTH,
        failed(UNIQUE, "llm-config"),
        ("have different content and are one object", "document 4, line"),
    ),
    Case(
        UNIQUE,
        "the same content twice",
        "vllm-agg",
        (_config("llm-config", "gpt-oss"), _config("llm-config", "gpt-oss")),
    ),
    Case(
        UNIQUE,
        "content that is not known yet",
        "program-on-eks",
        (_TWO_IN_STATE, of_state("ConfigMap/second", "inputs.data.a", LATER)),
        undecided(UNIQUE, "llm-config"),
        ("part of it or of the one registered as first is known only after the update",),
    ),
)
