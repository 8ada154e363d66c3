"""A toy Helm chart, written where a test wants it."""

import json
from pathlib import Path

_CHART = """\
apiVersion: v2
name: toy-chart
version: {version}
appVersion: "7"
"""
_TEMPLATE = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
data:
  greeting: {{ .Values.greeting | quote }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers:
        - name: main
          image: registry.invalid/toy:1
          resources: {requests: {cpu: {{ .Values.cpu | quote }}}}
"""
_SCHEMA = {
    "type": "object",
    "properties": {"greeting": {"type": "string"}, "cpu": {"type": "string"}},
    "additionalProperties": False,
}


def write_chart(folder: Path, version: str = "1.0.0") -> Path:
    """The chart's folder."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(_CHART.format(version=version))
    (folder / "values.yaml").write_text('greeting: hello\ncpu: "1"\n')
    (folder / "values.schema.json").write_text(json.dumps(_SCHEMA))
    (folder / "templates" / "all.yaml").write_text(_TEMPLATE)
    return folder
