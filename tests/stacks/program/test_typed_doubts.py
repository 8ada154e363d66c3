"""Placeholders and versions that nobody has are said before AWS or a registry says so."""

from typing import Any

from stacks.program.typed_doubts import typed_doubts
from stacks.settings.load import parse_settings
from tests.support.dev_settings import FILE, disagg_b200_settings
from tests.support.eks_settings import eks_b200_settings


def _said(settings: dict[str, Any]) -> list[str]:
    notices = list(typed_doubts(parse_settings(settings, FILE)))
    assert all(notice.warns for notice in notices)
    return [notice.text.partition(": ")[0] for notice in notices]


def test_account_addresses_and_block_of_the_shipped_files_are_called_placeholders() -> None:
    settings = eks_b200_settings()
    settings["cluster"] |= {"accountId": "123456789012", "publicCidrs": ["203.0.113.9/32", "8.8.8.8/32"]}
    settings["nodePools"][0]["purchase"]["id"] = "cr-0123456789abcdef0"
    assert _said(settings) == [
        "cluster.accountId = 123456789012",
        "cluster.publicCidrs = 203.0.113.9/32",
        "nodePools[0].purchase.id = cr-0123456789abcdef0",
    ]
    settings["cluster"] |= {"accountId": "210987654321", "publicCidrs": ["8.8.8.8/32"]}
    settings["nodePools"][0]["purchase"]["id"] = "cr-0fedcba9876543210"
    assert _said(settings) == []


def test_an_image_of_no_release_is_named_and_one_s_own_build_of_a_release_is_not() -> None:
    settings = disagg_b200_settings()
    settings["serving"]["imageVersions"] = {
        "prefill": "1.2.9",
        "decode": "1.2.9-ours",
        "frontend": "1.2.1-ours",
    }
    assert _said(settings) == [
        "serving.imageVersions.prefill = 1.2.9",
        "serving.imageVersions.decode = 1.2.9-ours",
    ]
