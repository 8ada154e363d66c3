"""Changes to good settings, each by the key that a problem would name, and what a person reads of them."""

import copy
import re
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from stacks.errors import SettingsError
from tests.support.dev_settings import resolved

Settings = dict[str, Any]
Change = dict[str, Any]
"""Key -> value, as in `{"nodePools[0].nodes": 2}`."""

GONE = object()
"""For a key that is to be left out."""

AGGREGATED: Change = {"serving.recipe": "gpt-oss-120b/trtllm-agg", "serving.kvTransport": GONE}
SECOND_NODE: Change = {"nodePools[0].nodes": 2}
LARGER_CACHE: Change = {"modelCache.size": "200Gi"}
OTHER_REVISION: Change = {"model": {"revision": "0" * 40}}
MIRROR: Change = {"imageMirrors": {"nvcr.io": "registry.example.com/nvcr"}}
SOMEBODY_ELSES_VOLUME: Change = {
    "model": {"source": {"kind": "existingVolume", "claimName": "shared-models"}},
    "modelCache": GONE,
}
NEWER_CLUSTER: Change = {"cluster.version": "1.36"}
OTHER_BLOCK: Change = {"nodePools[0].purchase.id": "cr-fedcba98"}
BY_THE_HOUR: Change = {"nodePools[0].purchase": {"kind": "onDemand"}}
ON_A_DISK: Change = {"modelCache": {"size": "300Gi", "storage": {"kind": "ebs"}}}
ON_EACH_NODE: Change = {"modelCache": {"size": "300Gi", "storage": {"kind": "instanceStore"}}}
ON_EFS: Change = {"modelCache": {"size": "200Gi", "storage": {"kind": "efs"}}}


def changed(settings: Settings, *changes: Mapping[str, Any]) -> Settings:
    """A copy of the settings with these values typed; what stands above one is made where it is missing."""
    copied = copy.deepcopy(settings)
    for change in changes:
        for key, value in change.items():
            _type(copied, key, value)
    return copied


def _type(settings: Settings, key: str, value: object) -> None:
    *above, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", key)]
    target: Any = settings
    for part in above:
        target = target.setdefault(part, {}) if isinstance(part, str) else target[part]
    if value is GONE:
        del target[last]
    else:
        target[last] = copy.deepcopy(value)


def said(settings: Settings) -> str:
    """All that is wrong with the settings, as it is printed."""
    with pytest.raises(SettingsError) as raised:
        resolved(settings)
    return str(raised.value)


def keys_of(model: type[BaseModel]) -> str:
    """Every key that a mapping may have, in the order of the page of settings."""
    return ", ".join(field.alias or name for name, field in model.model_fields.items())


def phase(name: str) -> Change:
    """A change of the phase of the first pool's Capacity Block."""
    return {"nodePools[0].purchase.phase": name}


def override(role: str, **options: Any) -> Change:
    """A change of engine options."""
    return {f"serving.overrides.{role}": options}


def replicas(**counts: int) -> Change:
    """A change of replicas."""
    return {"serving.replicas": counts}


def pools(**pool_of: str) -> Change:
    """A pool for each role, in place of one for all."""
    return {"serving.pool": GONE, "serving.pools": pool_of}
