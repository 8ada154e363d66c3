"""A draft model as an option of a stack: pinned, on the cache, and named to the engine by its directory."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from recipes import cache_check_script
from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe
from recipes.model_download import HuggingFaceDownload, S3Copy, cache_job_spec
from recipes.node_cache import marker_file
from recipes.placed import PlacedRecipe
from tests.recipes.test_cache_check import safetensors
from tests.support.dev_settings import problems_of, resolved
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import placed_recipe
from tests.support.vllm_settings import DRAFT, overridden_settings, vllm_settings

REVISION = "975baaffe27cc031ba21ae370602735d8e3df052"
DIRECTORY = f"/opt/models/hub/models--nvidia--gpt-oss-120b-Eagle3-v3/snapshots/{REVISION}"
WEIGHTS = safetensors(64)
EAGLE = {"method": "eagle3", "model": DRAFT, "num_speculative_tokens": 3}


def _with_draft(**changes: Any) -> dict[str, Any]:
    return overridden_settings(speculative_config=EAGLE | changes)


def _placed() -> PlacedRecipe:
    return resolved(_with_draft()).serving.placed


def test_without_the_option_no_draft_model_is_downloaded_or_named() -> None:
    placed = placed_recipe("gpt-oss-120b/vllm-agg")
    assert placed.recipe.draft_models == ()
    assert "Eagle" not in str(cache_job_spec(placed, HuggingFaceDownload()))


def test_the_worker_is_given_the_directory_of_the_pinned_revision() -> None:
    words = shlex.split(main_of(pods_of(graph_spec(_placed()))["agg"])["args"][0])
    given = json.loads(words[words.index("--speculative-config") + 1])
    assert given == {"method": "eagle3", "model": DIRECTORY, "num_speculative_tokens": 3}


def test_the_download_brings_it_beside_the_model() -> None:
    [container] = cache_job_spec(_placed(), HuggingFaceDownload())["template"]["spec"]["containers"]
    assert f"hf download {DRAFT} --revision {REVISION}\n" in container["args"][0]


def test_a_bucket_has_it_in_a_folder_of_its_name_apart_from_the_model() -> None:
    source = S3Copy("s3://models/gpt-oss-120b/")
    [container] = cache_job_spec(_placed(), source)["template"]["spec"]["containers"]
    _, model, draft, *_ = container["args"][0].splitlines()
    assert "--exclude 'gpt-oss-120b-Eagle3-v3/*'" in model
    assert draft.startswith(
        f"python3 -m awscli s3 sync s3://models/gpt-oss-120b/gpt-oss-120b-Eagle3-v3/ {DIRECTORY} "
    )


def test_a_volume_that_others_filled_is_searched_for_it() -> None:
    [container] = cache_job_spec(_placed(), None)["template"]["spec"]["containers"]
    assert {"name": "DRAFT_DIRECTORIES", "value": DIRECTORY} in container["env"]


def test_a_copy_on_a_node_without_it_is_not_complete() -> None:
    without = marker_file(load_recipe("gpt-oss-120b/vllm-agg"))
    assert marker_file(_placed().recipe) == f"{without}-{REVISION}"


def test_the_cache_has_room_for_both() -> None:
    settings = vllm_settings()
    settings["modelCache"]["size"] = "67Gi"
    assert resolved(settings).cache
    settings["serving"]["overrides"] = {"worker": {"speculative_config": EAGLE}}
    [problem] = problems_of(settings)
    assert problem.key == "modelCache.size"
    assert f"openai/gpt-oss-120b with {DRAFT} takes 68.2 GB" in problem.message


def test_a_draft_model_that_is_not_on_the_cache_is_refused_with_the_one_that_can_be() -> None:
    [problem] = problems_of(_with_draft(model="nvidia/gpt-oss-120b-Eagle3"))
    assert problem.key.startswith("serving.overrides")
    assert problem.message.endswith(
        f"the draft model nvidia/gpt-oss-120b-Eagle3 is not on the model cache: write {DRAFT}"
    )


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"config.json": b"{}", "model.safetensors": WEIGHTS}, []),
        ({"config.json": b"{}", "model.safetensors": WEIGHTS[:-1]}, ["its header says"]),
        ({"model.safetensors": WEIGHTS}, ["config.json: is missing"]),
        ({"config.json": b"{}"}, ["holds no *.safetensors"]),
        ({}, ["no such directory"]),
    ],
    ids=["whole", "cut off", "no configuration", "no weights", "nothing"],
)
def test_what_the_check_says_of_a_draft_model(
    files: dict[str, bytes], said: list[str], tmp_path: Path
) -> None:
    draft = tmp_path / "draft"
    for name, content in files.items():
        draft.mkdir(exist_ok=True)
        (draft / name).write_bytes(content)
    faults = cache_check_script.draft_faults(draft)
    assert len(faults) == len(said)
    assert all(text in fault for text, fault in zip(said, faults, strict=True))
