"""Placeholders and versions that nobody has are said before AWS or a registry says so."""

import pytest

from stacks.program.typed_doubts import typed_doubts
from stacks.settings.load import parse_settings
from tests.stacks.changed_settings import Settings, changed
from tests.support.dev_settings import FILE, disagg_b200_settings
from tests.support.eks_settings import eks_b200_settings


@pytest.mark.parametrize(
    ("settings", "doubts"),
    [
        pytest.param(
            changed(eks_b200_settings(), {"cluster.publicCidrs": ["203.0.113.9/32", "8.8.8.8/32"]}),
            [
                "cluster.accountId = 123456789012",
                "cluster.publicCidrs = 203.0.113.9/32",
                "nodePools[0].purchase.id = cr-0123456789abcdef0",
            ],
            id="placeholders of the shipped files",
        ),
        pytest.param(
            changed(
                eks_b200_settings(),
                {
                    "cluster.accountId": "210987654321",
                    "cluster.publicCidrs": ["8.8.8.8/32"],
                    "nodePools[0].purchase.id": "cr-0fedcba9876543210",
                },
            ),
            [],
            id="one's own",
        ),
        pytest.param(
            changed(
                disagg_b200_settings(),
                {
                    "serving.imageVersions": {
                        "prefill": "1.2.9",
                        "decode": "1.2.9-ours",
                        "frontend": "1.2.1-ours",
                    }
                },
            ),
            ["serving.imageVersions.prefill = 1.2.9", "serving.imageVersions.decode = 1.2.9-ours"],
            id="images of no release, and one's own build of a release",
        ),
    ],
)
def test_placeholders_and_images_of_no_release_are_doubted(settings: Settings, doubts: list[str]) -> None:
    notices = list(typed_doubts(parse_settings(settings, FILE)))
    assert all(notice.warns for notice in notices)
    assert [notice.text.partition(": ")[0] for notice in notices] == doubts
