"""Settings of a stack that serves with vLLM."""

from typing import Any

from tests.support.shipped_stacks import shipped_settings

RECIPE, DRAFT = "gpt-oss-120b/vllm-agg", "nvidia/gpt-oss-120b-Eagle3-v3"


def vllm_settings() -> dict[str, Any]:
    """Those of the shipped stack, on a volume of the size that its model needs and more."""
    return shipped_settings("vllm-agg-b200") | {"modelCache": {"size": "150Gi", "storage": {"kind": "efs"}}}


def overridden_settings(**options: Any) -> dict[str, Any]:
    """The same with these options for its workers."""
    settings = vllm_settings()
    settings["serving"]["overrides"] = {"worker": options}
    return settings
