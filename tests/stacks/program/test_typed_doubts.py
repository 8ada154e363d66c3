"""Placeholders of the stack files are said before AWS says so."""

import pytest

from stacks.program.entry import typed_doubts
from stacks.settings.load import parse_settings
from tests.stacks.changed_settings import Settings, changed
from tests.support.dev_settings import FILE
from tests.support.eks_settings import eks_b200_settings


@pytest.mark.parametrize(
    ("settings", "doubts"),
    [
        pytest.param(
            changed(eks_b200_settings(), {"cluster.publicCidrs": ["203.0.113.9/32", "8.8.8.8/32"]}),
            [
                "cluster.publicCidrs = 203.0.113.9/32",
                "nodePools[0].purchase.id = cr-0123456789abcdef0",
            ],
            id="placeholders of the shipped files",
        ),
        pytest.param(
            changed(
                eks_b200_settings(),
                {
                    "cluster.publicCidrs": ["8.8.8.8/32"],
                    "nodePools[0].purchase.id": "cr-0fedcba9876543210",
                },
            ),
            [],
            id="one's own",
        ),
    ],
)
def test_placeholders_are_doubted(settings: Settings, doubts: list[str]) -> None:
    notices = list(typed_doubts(parse_settings(settings, FILE)))
    assert all(notice.warns for notice in notices)
    assert [notice.text.partition(": ")[0] for notice in notices] == doubts
