"""The container that the operator gives a component before the person's own settings come on top.

Values: ai-dynamo/dynamo deploy/operator/internal/dynamo/component_{common,frontend,worker}.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.dynamo_operator.components import FRONTEND, WORKER_TYPES

if TYPE_CHECKING:
    from lab.controller.api import Manifest

SERVICE_PORT = 8000
SYSTEM_PORT = 9090
NIXL_PORT = 19090
# Metrics of each forward pass; the ranks of one worker count up from here.
_FORWARD_PASS_PORT = 20380


def base_container(component_type: str, environment: dict[str, str]) -> Manifest:
    """Ports, probes and environment by type; a type that the operator does not know gets none of its own."""
    container: Manifest = {"name": "main", "command": ["/bin/sh", "-c"], "env": _environment(environment)}
    if component_type == FRONTEND:
        _add_frontend_defaults(container, environment["DYN_NAMESPACE"])
    elif component_type in WORKER_TYPES:
        _add_worker_defaults(container)
    return container


def _environment(environment: dict[str, str]) -> list[dict[str, Any]]:
    fields = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace", "POD_UID": "metadata.uid"}
    return [
        *({"name": name, "value": value} for name, value in environment.items()),
        *({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()),
    ]


def _add_frontend_defaults(container: Manifest, namespace: str) -> None:
    container["command"] = ["python3"]
    container["args"] = ["-m", "dynamo.frontend"]
    container["ports"] = [_port("http", SERVICE_PORT)]
    container["livenessProbe"] = _probe("/live", "http", period=10, timeout=1, failures=3, initial_delay=15)
    container["readinessProbe"] = _probe(
        "/health", "http", period=10, timeout=3, failures=3, initial_delay=10
    )
    container["env"] += [
        {"name": "DYNAMO_PORT", "value": str(SERVICE_PORT)},
        {"name": "DYN_HTTP_PORT", "value": str(SERVICE_PORT)},
        {"name": "DYN_NAMESPACE_PREFIX", "value": namespace},
    ]


def _add_worker_defaults(container: Manifest) -> None:
    container["ports"] = [_port("system", SYSTEM_PORT), _port("nixl", NIXL_PORT)]
    container["livenessProbe"] = _probe("/live", "system", period=5, timeout=4, failures=1)
    container["readinessProbe"] = _probe("/health", "system", period=10, timeout=4, failures=3)
    # Two hours: a first start loads the whole model.
    container["startupProbe"] = _probe("/live", "system", period=10, timeout=5, failures=720)
    container["env"] += [
        {"name": "DYN_SYSTEM_ENABLED", "value": "true"},
        {"name": "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", "value": '["generate"]'},
        {"name": "DYN_SYSTEM_PORT", "value": str(SYSTEM_PORT)},
        {"name": "DYN_HEALTH_CHECK_ENABLED", "value": "false"},
        {"name": "NIXL_TELEMETRY_ENABLE", "value": "n"},
        {"name": "NIXL_TELEMETRY_EXPORTER", "value": "prometheus"},
        {"name": "NIXL_TELEMETRY_PROMETHEUS_PORT", "value": str(NIXL_PORT)},
        {"name": "DYN_FORWARDPASS_METRIC_PORT", "value": str(_FORWARD_PASS_PORT)},
    ]


def _port(name: str, number: int) -> Manifest:
    return {"name": name, "containerPort": number, "protocol": "TCP"}


def _probe(
    path: str, port: str, *, period: int, timeout: int, failures: int, initial_delay: int = 0
) -> Manifest:
    probe: Manifest = {
        "httpGet": {"path": path, "port": port},
        "periodSeconds": period,
        "timeoutSeconds": timeout,
        "failureThreshold": failures,
    }
    if initial_delay:
        probe["initialDelaySeconds"] = initial_delay
    return probe
