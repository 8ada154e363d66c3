"""Where the model comes from, and the volume that it is on."""

import pytest

from recipes.model_download import HuggingFaceDownload, S3Copy
from stacks.plan.cache_plan import OwnVolume
from tests.stacks.changed_settings import (
    GONE,
    OTHER_REVISION,
    SOMEBODY_ELSES_VOLUME,
    Change,
    changed,
    said,
)
from tests.support.dev_settings import disagg_b200_settings, resolved

S3 = {
    "kind": "s3",
    "address": "s3://models/gpt-oss-120b",
    "region": "us-east-1",
    "serviceAccountName": "reader",
}
FROM_S3: Change = {"model": {"source": S3}}


@pytest.mark.parametrize(
    ("change", "source"),
    [
        ({}, HuggingFaceDownload()),
        (FROM_S3, S3Copy("s3://models/gpt-oss-120b", "us-east-1", "reader")),
    ],
)
def test_a_model_comes_from_the_hub_or_from_a_bucket_that_is_typed(
    change: Change, source: HuggingFaceDownload | S3Copy
) -> None:
    cache = resolved(changed(disagg_b200_settings(), change)).cache
    assert isinstance(cache, OwnVolume)
    assert (cache.source, cache.size_gib, cache.class_name) == (source, 150, "shared-files")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"model": SOMEBODY_ELSES_VOLUME["model"]},
            "the model is on an existing volume, whose size and class are its own\n"
            "  try: leave modelCache out",
        ),
        ({"modelCache": GONE}, "is missing: the files from huggingface need a volume"),
        ({"modelCache": GONE} | FROM_S3, "is missing: the files from s3 need a volume"),
    ],
)
def test_a_volume_is_typed_where_the_model_is_brought_and_nowhere_else(change: Change, says: str) -> None:
    assert said(changed(disagg_b200_settings(), change)).startswith(f"Pulumi.dev.yaml: modelCache\n  {says}")


def test_an_explicit_revision_replaces_the_recipes() -> None:
    stack = resolved(changed(disagg_b200_settings(), OTHER_REVISION))
    assert stack.serving.placed.recipe.model.snapshot_directory.endswith("0" * 40)


def test_faster_storage_shortens_the_wait_for_the_graph() -> None:
    slow = resolved(disagg_b200_settings()).serving.ready_timeout_seconds
    stack = resolved(changed(disagg_b200_settings(), {"modelCache.readMegabytesPerSecond": 2000}))
    # Half an hour for image and CUDA graphs, and 33 s for the files.
    assert stack.serving.ready_timeout_seconds == 31 * 60 < slow
