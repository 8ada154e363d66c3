"""docs/other-clusters.md: what it shows can be used as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.support.dev_settings import described_node, existing_cluster_settings, resolved

PAGE = Path(__file__).parents[2] / "docs" / "other-clusters.md"


def _blocks() -> list[dict[str, Any]]:
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)]


def test_the_pool_and_the_sizes_of_the_page_make_a_stack() -> None:
    pools, sizes = _blocks()
    serving = {"recipe": "gpt-oss-120b/trtllm-disagg", "pool": "b200", "kvTransport": "tcp"}
    settings = existing_cluster_settings(serving | sizes["serving"], pools["nodePools"])
    prefill, decode = resolved(settings).serving.placed.workers
    assert prefill.resources is not None
    assert decode.resources is not None
    assert (prefill.resources.cpu_request, prefill.resources.memory_gib) == (32, 438)
    assert (decode.resources.cpu_request, decode.resources.memory_gib) == (110, 1500)


def test_the_page_describes_every_key_of_a_node() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [key for key in described_node(nvlinkDomainGpus=8) if f"`{key}`" not in text] == []
