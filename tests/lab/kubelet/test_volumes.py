"""The folders behind mounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.kubelet.objects import CannotStartError
from lab.kubelet.volumes import make_volumes, remove_volumes
from tests.lab.kubelet.pods import ADDRESS, container, objects, pod

if TYPE_CHECKING:
    from pathlib import Path


def test_a_configuration_a_secret_and_a_token_are_files(tmp_path: Path) -> None:
    token = {"serviceAccountToken": {"path": "token"}}
    namespace = {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}
    volumes: list[dict[str, Any]] = [
        {"name": "files", "configMap": {"name": "engine"}},
        {"name": "one", "secret": {"secretName": "hf", "items": [{"key": "token", "path": "a/b"}]}},
        {"name": "api", "projected": {"sources": [token, {"downwardAPI": namespace}]}},
    ]
    known = objects(config={"engine": {"decode.yaml": "x: 1"}}, secrets={"hf": {"token": "s3cret"}})
    folders = make_volumes(tmp_path, pod(container(), volumes=volumes), known, ADDRESS, "t0ken")
    assert (folders["files"] / "decode.yaml").read_text() == "x: 1"
    assert (folders["one"] / "a" / "b").read_text() == "s3cret"
    assert (folders["api"] / "token").read_text() == "t0ken"
    assert (folders["api"] / "namespace").read_text() == "serving"


def test_a_claim_outlives_its_pod_and_an_empty_folder_does_not(tmp_path: Path) -> None:
    volumes = [
        {"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}},
        {"name": "scratch", "emptyDir": {}},
    ]
    which = pod(container(), volumes=volumes)
    folders = make_volumes(tmp_path, which, objects(claims=("cache",)), ADDRESS, "")
    for folder in folders.values():
        (folder / "kept").touch()
    remove_volumes(tmp_path, which["metadata"]["uid"])
    assert (folders["cache"] / "kept").exists()
    assert not folders["scratch"].exists()


def test_a_folder_of_the_node_is_the_same_for_all_its_pods_and_not_for_another_node(tmp_path: Path) -> None:
    volumes = [{"name": "disk", "hostPath": {"path": "/mnt/disk"}}]
    here = make_volumes(tmp_path, pod(container(), volumes=volumes), objects(), ADDRESS, "")
    again = make_volumes(tmp_path, pod(container(), volumes=volumes), objects(), ADDRESS, "")
    elsewhere = pod(container(), volumes=volumes, nodeName="tray-1")
    assert here == again
    assert make_volumes(tmp_path, elsewhere, objects(), ADDRESS, "") != here


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        ({"configMap": {"name": "gone"}}, 'configmap "gone" not found'),
        ({"persistentVolumeClaim": {"claimName": "gone"}}, 'persistentvolumeclaim "gone" not found'),
        ({"nfs": {"server": "x"}}, "knows no volumes of kind nfs"),
        ({"configMap": {"name": "engine", "items": [{"key": "no", "path": "p"}]}}, "has no key no"),
    ],
)
def test_a_volume_of_nothing_is_not_mounted(tmp_path: Path, volume: dict[str, object], message: str) -> None:
    which = pod(container(), volumes=[{"name": "v", **volume}])
    with pytest.raises(CannotStartError) as refused:
        make_volumes(tmp_path, which, objects(config={"engine": {"a": "b"}}), ADDRESS, "")
    assert message in str(refused.value)
    assert refused.value.reason == "FailedMount"
