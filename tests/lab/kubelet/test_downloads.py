"""What a simulated download leaves in a claim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.kubelet.downloads import fill_claims
from tests.lab.kubelet.pods import container, objects, pod

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "openai/gpt-oss-120b"


def download(repository: str, home: str = "/opt/models") -> dict[str, Any]:
    command = ["/bin/sh", "-ec"]
    arguments = [f"/x/bin/hf download {repository} --revision abc123 --exclude 'original/*'"]
    main = container(
        command=command,
        args=arguments,
        env=[{"name": "HF_HOME", "value": home}],
        volumeMounts=[{"name": "cache", "mountPath": "/opt/models"}],
    )
    return pod(main, volumes=[{"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}}])


def test_the_model_lies_where_a_worker_that_mounts_the_claim_looks(tmp_path: Path) -> None:
    known = objects(claims=("cache",))
    assert fill_claims(tmp_path, download(MODEL), known) == [f"{MODEL} in claim cache"]
    [snapshot] = tmp_path.glob("claims/serving/cache-*/hub/models--openai--gpt-oss-120b/snapshots/abc123")
    assert {file.name for file in snapshot.iterdir()} == {
        *("config.json", "generation_config.json"),
        *("tokenizer.json", "tokenizer_config.json"),
    }
    assert json.loads((snapshot / "config.json").read_text())["num_hidden_layers"] == 36


def test_a_download_to_elsewhere_leaves_nothing_in_the_claim(tmp_path: Path) -> None:
    assert fill_claims(tmp_path, download(MODEL, home="/scratch"), objects(claims=("cache",))) == []


def test_a_model_that_the_lab_does_not_know_is_not_invented(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fill_claims(tmp_path, download("someone/else"), objects(claims=("cache",)))
