"""Which claims get a volume, what it looks like, and when it goes."""

from __future__ import annotations

from typing import Any

import pytest

from lab.volume_provisioner.volumes import (
    DISK_PROVISIONER,
    PROVISIONER,
    must_be_deleted,
    refusal,
    volume_for,
    wants_volume,
)


def storage_class(mode: str = "Immediate", provisioner: str = PROVISIONER) -> dict[str, Any]:
    return {
        "metadata": {"name": "files"},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
        "reclaimPolicy": "Delete",
    }


def claim(phase: str = "Pending", **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "cache", "namespace": "demo", "uid": "u1"} | metadata,
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "100Gi"}}},
        "status": {"phase": phase},
    }


SELECTED = {"volume.kubernetes.io/selected-node": "node-0"}


@pytest.mark.parametrize(
    ("wanting", "given", "expected"),
    [
        (claim(), storage_class(), True),
        (claim("Bound"), storage_class(), False),
        (claim(), storage_class(provisioner=DISK_PROVISIONER), True),
        (claim(), storage_class(provisioner="somebody.else"), False),
        (claim(deletionTimestamp="2026-01-01T00:00:00Z"), storage_class(), False),
        (claim(), storage_class("WaitForFirstConsumer"), False),
        (claim(annotations=SELECTED), storage_class("WaitForFirstConsumer"), True),
    ],
)
def test_a_pending_claim_gets_a_volume_once_its_class_allows_it(
    wanting: dict[str, Any], given: dict[str, Any], expected: bool
) -> None:
    assert wants_volume(wanting, given) is expected


def test_a_volume_has_its_claims_size_and_access_modes_and_belongs_to_it() -> None:
    volume = volume_for(claim(), storage_class(), None)
    assert volume["spec"]["capacity"] == {"storage": "100Gi"}
    assert volume["spec"]["accessModes"] == ["ReadWriteMany"]
    assert volume["spec"]["claimRef"]["uid"] == "u1"
    assert volume["spec"]["storageClassName"] == "files"
    assert "nodeAffinity" not in volume["spec"]


def test_a_zonal_volume_can_be_used_in_its_zone_only() -> None:
    volume = volume_for(claim(), storage_class(), "us-east-1a")
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}
    ]


@pytest.mark.parametrize(
    ("mode", "provisioner", "refused"),
    [
        ("ReadWriteMany", DISK_PROVISIONER, True),
        ("ReadOnlyMany", DISK_PROVISIONER, True),
        ("ReadWriteOnce", DISK_PROVISIONER, False),
        ("ReadWriteOncePod", DISK_PROVISIONER, False),
        ("ReadWriteMany", PROVISIONER, False),
    ],
)
def test_a_disk_is_refused_to_more_than_one_node(mode: str, provisioner: str, refused: bool) -> None:
    asking = claim()
    asking["spec"]["accessModes"] = [mode]
    message = refusal(asking, storage_class(provisioner=provisioner))
    assert ("Only AccessModes[ReadWriteOnce] supported" in (message or "")) is refused


@pytest.mark.parametrize(
    ("phase", "policy", "provisioned_by", "expected"),
    [
        ("Released", "Delete", PROVISIONER, True),
        ("Bound", "Delete", PROVISIONER, False),
        ("Released", "Retain", PROVISIONER, False),
        ("Released", "Delete", DISK_PROVISIONER, True),
        ("Released", "Delete", "somebody.else", False),
    ],
)
def test_a_released_volume_goes_unless_it_is_to_be_kept(
    phase: str, policy: str, provisioned_by: str, expected: bool
) -> None:
    volume = {
        "metadata": {"annotations": {"pv.kubernetes.io/provisioned-by": provisioned_by}},
        "spec": {"persistentVolumeReclaimPolicy": policy},
        "status": {"phase": phase},
    }
    assert must_be_deleted(volume) is expected
