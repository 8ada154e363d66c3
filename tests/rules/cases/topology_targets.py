"""Ingresses, routes and autoscalers, and what they point at."""

from tests.rules.case import Case, failed
from tests.rules.edits import document, drop

REACHES, NAMES = "service-reaches-pods", "named-objects-exist"
_INGRESS = """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: door, namespace: gpt-oss}}
spec:
  rules:
    - http:
        paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: {name}, port: {{{port}}}}}}}}}]
"""
_ROUTE = """
apiVersion: route.openshift.io/v1
kind: Route
metadata: {{name: door, namespace: gpt-oss}}
spec: {{to: {{kind: Service, name: vllm-serve}}, port: {{targetPort: {port}}}}}
"""
_HTTP_ROUTE = """
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: door, namespace: gpt-oss}}
spec: {{rules: [{{backendRefs: [{{name: vllm-serve, port: {port}}}]}}]}}
"""
_SCALER = """
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: scaler, namespace: gpt-oss}}
spec: {{scaleTargetRef: {{apiVersion: apps/v1, kind: {kind}, name: {name}}}, maxReplicas: 2}}
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
        "a Route to a port of another name",
        "vllm-serve",
        (document(_ROUTE.format(port="https")),),
        failed(REACHES, "door"),
        ("leads to port https of Service vllm-serve",),
    ),
    Case(
        REACHES,
        "a Route to the pods' number of a port that has a name",
        "vllm-serve",
        (document(_ROUTE.format(port=8080)),),
    ),
    Case(
        REACHES,
        "an HTTPRoute to a port that the Service does not have",
        "vllm-serve",
        (document(_HTTP_ROUTE.format(port=80)),),
        failed(REACHES, "door"),
        ("leads to port 80 of Service vllm-serve, which has 8000 (http)",),
    ),
    Case(
        REACHES,
        "an HTTPRoute to a port of a Service elsewhere",
        "vllm-serve",
        (
            document(_HTTP_ROUTE.format(port="80, namespace: gateways")),
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
    Case(
        NAMES,
        "an autoscaler of a workload of another name",
        "vllm-serve",
        (document(_SCALER.format(kind="Deployment", name="chat")),),
        failed(NAMES, "scaler"),
        ("scales Deployment chat; what was read makes Deployment vllm-serve and no Deployment chat",),
    ),
    Case(
        NAMES,
        "an autoscaler of the workload beside it",
        "vllm-serve",
        (document(_SCALER.format(kind="Deployment", name="vllm-serve")),),
    ),
    Case(
        NAMES,
        "an autoscaler of a workload that an operator may make",
        "vllm-serve",
        (document(_SCALER.format(kind="Deployment", name="chat")), document(_OPERATOR)),
    ),
)
