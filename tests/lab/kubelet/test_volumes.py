"""The folders behind mounts."""

from pathlib import Path

import pytest

from lab.kubelet.objects import CannotStartError
from lab.kubelet.volumes import make_volumes
from tests.lab.kubelet.pods import ADDRESS, container, objects, pod


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


def test_a_file_stays_whole_for_its_reader_while_it_is_written_for_the_next_container(tmp_path: Path) -> None:
    which = pod(container(), volumes=[{"name": "v", "configMap": {"name": "engine"}}])
    folder = make_volumes(tmp_path, which, objects(config={"engine": {"a": "first"}}), ADDRESS, "")["v"]
    with (folder / "a").open(encoding="utf-8") as opened:
        make_volumes(tmp_path, which, objects(config={"engine": {"a": "next"}}), ADDRESS, "")
        assert opened.read() == "first"
    assert {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir()} == {"a": "next"}
