"""Ingresses, and the Services that they point at."""

from tests.rules.case import Case, failed
from tests.rules.edits import document, drop

REACHES = "service-reaches-pods"
_INGRESS = """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: door, namespace: gpt-oss}}
spec:
  rules:
    - http:
        paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: {name}, port: {{{port}}}}}}}}}]
"""
_OPERATOR = "{apiVersion: example.com/v1, kind: Gateway, metadata: {name: door, namespace: gpt-oss}}"

CASES = (
    Case(
        REACHES,
        "an Ingress to a Service that is called otherwise here",
        "vllm-serve",
        (document(_INGRESS.format(name="chat-service", port="number: 8000")),),
        failed(REACHES, "door"),
        ("leads to Service chat-service; what was read makes vllm-serve and no chat-service",),
    ),
    Case(
        REACHES,
        "an Ingress to a Service that an operator may make",
        "vllm-serve",
        (document(_INGRESS.format(name="chat-service", port="number: 8000")), document(_OPERATOR)),
    ),
    Case(
        REACHES,
        "an Ingress to a port that the Service does not have",
        "vllm-serve",
        (document(_INGRESS.format(name="vllm-serve", port="number: 80")),),
        failed(REACHES, "door"),
        ("leads to port 80 of Service vllm-serve, which has 8000 (http)",),
    ),
    Case(
        REACHES,
        "an Ingress to a port of a Service elsewhere",
        "vllm-serve",
        (
            document(_INGRESS.format(name="vllm-serve", port="number: 80")),
            drop("Service", "metadata.namespace"),
        ),
        failed(REACHES, "door"),
        ("leads to port 80 of Service vllm-serve",),
    ),
    Case(
        REACHES,
        "an Ingress beside a patch of its Service",
        "vllm-serve",
        (
            document(_INGRESS.format(name="vllm-serve", port="number: 80")),
            drop("Service", "spec.selector"),
        ),
    ),
)
