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


COMMIT = "0123456789abcdef" * 2 + "01234567"
WITH_HF = f"set -e\n/x/bin/hf download {MODEL} --revision {COMMIT} --exclude 'original/*'"


def download(words: str = WITH_HF, home: str = "/opt/models") -> dict[str, Any]:
    main = container(
        command=["/bin/sh", "-ec"],
        args=[words],
        env=[{"name": "HF_HOME", "value": home}],
        volumeMounts=[{"name": "cache", "mountPath": "/opt/models"}],
    )
    return pod(main, volumes=[{"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}}])


def test_the_model_lies_where_a_worker_that_mounts_the_claim_looks(tmp_path: Path) -> None:
    known = objects(claims=("cache",))
    assert fill_claims(tmp_path, download(), known) == [f"{MODEL} in claim cache"]
    [snapshot] = tmp_path.glob(f"claims/serving/cache-*/hub/models--openai--gpt-oss-120b/snapshots/{COMMIT}")
    assert {file.name for file in snapshot.iterdir()} == {
        *("config.json", "generation_config.json"),
        *("tokenizer.json", "tokenizer_config.json"),
    }
    assert json.loads((snapshot / "config.json").read_text())["num_hidden_layers"] == 36


@pytest.mark.parametrize(
    ("words", "home"),
    [
        pytest.param(WITH_HF, "/scratch", id="elsewhere"),
        pytest.param(WITH_HF.replace(MODEL, "someone/else"), "/opt/models", id="unknown model"),
        pytest.param(WITH_HF.replace(COMMIT, "main"), "/opt/models", id="no commit"),
    ],
)
def test_what_is_not_a_known_model_s_commit_in_the_claim_leaves_nothing(
    tmp_path: Path, words: str, home: str
) -> None:
    assert fill_claims(tmp_path, download(words, home), objects(claims=("cache",))) == []
