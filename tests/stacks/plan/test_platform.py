"""Servers and platform of a stack: where they answer, what they are pulled from, what is refused."""

from typing import Any

import pytest

from explain.explanation.reasons import servers
from stacks.plan.platform.platform_plan import OwnPlatform
from tests.stacks.changed_settings import Change, changed, said
from tests.support.dev_settings import disagg_b200_settings, resolved

OWN = {"kind": "own", "members": 3, "storageClassName": "fast-disks"}
BUNDLED = {"kind": "bundled", "storageClassName": "fast-disks"}
HUB = {"docker.io": "mirror.example.com/hub"}
MIRRORS = HUB | {"quay.io": "mirror.example.com/quay", "nvcr.io": "mirror.example.com/nvcr"}
DOMAIN = "dynamo-system.svc.cluster.local"


def _etcd(**etcd: Any) -> Change:
    return {"platform.discovery": "etcd", "platform.etcd": OWN | etcd}


BOTH_BUNDLED: Change = _etcd() | {"platform.etcd": BUNDLED, "platform.nats": BUNDLED}


def _own(*changes: Change) -> OwnPlatform:
    platform = resolved(changed(disagg_b200_settings(), *changes)).platform
    assert isinstance(platform, OwnPlatform)
    return platform


def _reasons(*changes: Change) -> dict[str, str]:
    """What `explain` says of NATS and etcd, by their names."""
    said = (one.partition(": ") for one in servers(_own(*changes)))
    return {name: text for name, _, text in said}


def test_bundled_servers_answer_at_the_charts_addresses() -> None:
    platform = _own(BOTH_BUNDLED)
    assert (platform.nats, platform.etcd) == (None, None)
    assert platform.nats_address == f"nats://dynamo-platform-nats.{DOMAIN}:4222"
    assert platform.etcd_address == f"dynamo-platform-etcd.{DOMAIN}:2379"
    assert "archived images (bitnamilegacy)" in _reasons(BOTH_BUNDLED)["etcd"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"platform.discovery": "etcd"},
            "Pulumi.dev.yaml: platform.etcd\n"
            "  is missing: with discovery etcd, workers and frontends find each other in it\n"
            "  allowed: a mapping of kind own, bundled or external\n"
            "  try: add platform.etcd, or leave platform.discovery out",
        ),
        (
            {"platform.etcd": OWN},
            "Pulumi.dev.yaml: platform.etcd = 'own'\n"
            "  nothing would use it: with discovery kubernetes no part of Dynamo connects to etcd\n"
            "  try: leave platform.etcd out, or write platform.discovery: etcd",
        ),
        (
            {"platform": {"kind": "existing", "version": "1.3.0"}},
            "Pulumi.dev.yaml: platform.version = '1.3.0'\n"
            "  not a platform release that this project was written for\n"
            '  allowed: "1.2.1", "1.4.2"\n'
            '  try: "1.4.2"',
        ),
    ],
)
def test_servers_and_releases_that_cannot_serve_are_refused(change: Change, text: str) -> None:
    assert said(changed(disagg_b200_settings(), change)) == text


def test_three_members_say_what_they_buy_and_what_not() -> None:
    reasons = _reasons(_etcd())
    assert "pods serve on without it, none starts; streams of a member that is away wait" in reasons["NATS"]
    assert "more than 10 s without two of them stops all workers" in reasons["etcd"]


def test_images_come_from_the_mirrors() -> None:
    typed = changed(disagg_b200_settings(), _etcd(), {"imageMirrors": MIRRORS})
    platform = _own(_etcd(), {"imageMirrors": MIRRORS})
    assert [each.image for each in (platform.nats, platform.etcd) if each] == [
        "mirror.example.com/hub/library/nats:2.11.4-alpine",
        "mirror.example.com/quay/coreos/etcd:v3.5.21",
    ]
    assert dict(resolved(typed).serving.placed.image_mirrors) == MIRRORS
