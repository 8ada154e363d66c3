"""The operator's own configuration, as its chart writes it into a ConfigMap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from lab.controller.api import Manifest

CONFIG_KEY = "config.yaml"


@dataclass(frozen=True)
class OperatorConfiguration:
    """The settings that change what the operator makes of a graph."""

    version: str
    nats_address: str = ""
    etcd_address: str = ""
    model_express_url: str = ""
    prometheus_endpoint: str = ""
    discovery_backend: str = "kubernetes"
    grove_enabled: bool = False
    certificate_secret: str = ""
    webhook_service: str = ""
    webhook_port: int = 9443
    makes_own_certificate: bool = True
    planner_role: str = ""

    @classmethod
    def from_config_map(cls, config_map: Manifest, version: str) -> OperatorConfiguration:
        """Reads kind OperatorConfiguration (operator.config.dynamo.nvidia.com/v1alpha1)."""
        config = yaml.safe_load(config_map["data"][CONFIG_KEY])
        infrastructure = config["infrastructure"]
        webhook = config["server"]["webhook"]
        return cls(
            version=version,
            nats_address=infrastructure["natsAddress"],
            etcd_address=infrastructure["etcdAddress"],
            model_express_url=infrastructure["modelExpressURL"],
            prometheus_endpoint=infrastructure["prometheusEndpoint"],
            discovery_backend=config["discovery"]["backend"],
            grove_enabled=((config["orchestrators"] or {}).get("grove") or {}).get("enabled", False),
            certificate_secret=webhook["secretName"],
            webhook_service=webhook["serviceName"],
            webhook_port=webhook["port"],
            makes_own_certificate=webhook["certProvisionMode"] == "auto",
            planner_role=config["rbac"]["plannerClusterRoleName"],
        )
