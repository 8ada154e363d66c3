"""ConfigMaps that graphs share by mistake."""

from tests.rules.case import On
from tests.rules.edits import Edit, document

_OTHER = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, namespace: {namespace}}}
data: {{config.yaml: "{content}"}}
"""


def _config(name: str, namespace: str, content: str = "stream_interval: 20") -> Edit:
    return document(_OTHER.format(name=name, namespace=namespace, content=content))


CASES = (
    On("config-names-unique", "vllm-agg", "llm-config").fails(
        "two of one name",
        ("have different content and are one object", "document 4, line"),
        _config("llm-config", "gpt-oss"),
        _config("llm-config", "gpt-oss", "stream_interval: 10"),
    ),
    On("config-names-unique", "vllm-agg").passes(
        "the same content twice", _config("llm-config", "gpt-oss"), _config("llm-config", "gpt-oss")
    ),
)
