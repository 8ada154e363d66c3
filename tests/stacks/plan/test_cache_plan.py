from typing import Any

from recipes.model_download import HuggingFaceDownload, S3Copy
from stacks.plan import timeouts
from stacks.plan.cache_plan import ExistingVolume, OwnVolume
from tests.support.dev_settings import disagg_b200_settings, problems_of, resolved

S3 = {
    "kind": "s3",
    "address": "s3://models/gpt-oss-120b",
    "region": "us-east-1",
    "serviceAccountName": "reader",
}
VOLUME = {"kind": "existingVolume", "claimName": "shared-models"}
MODEL_BYTES = 65_248_815_744


def _from(source: dict[str, str], *, cache: bool) -> dict[str, Any]:
    settings = disagg_b200_settings() | {"model": {"source": source}}
    if not cache:
        del settings["modelCache"]
    return settings


def test_a_model_comes_from_the_hub_when_nobody_says_otherwise() -> None:
    cache = resolved(disagg_b200_settings()).cache
    assert isinstance(cache, OwnVolume)
    assert (cache.source, cache.claim_name, cache.job_name) == (
        HuggingFaceDownload(),
        "model-cache",
        "model-download",
    )
    assert (cache.size_gib, cache.storage, cache.class_name) == (150, None, "shared-files")


def test_a_model_is_copied_from_a_bucket_by_the_service_account_that_may_read_it() -> None:
    cache = resolved(_from(S3, cache=True)).cache
    assert isinstance(cache, OwnVolume)
    assert cache.source == S3Copy("s3://models/gpt-oss-120b", "us-east-1", "reader")


def test_an_existing_volume_is_checked_and_not_created() -> None:
    stack = resolved(_from(VOLUME, cache=False))
    cache = stack.cache
    assert isinstance(cache, ExistingVolume)
    assert (cache.claim_name, cache.job_name) == ("shared-models", "model-check")
    assert not stack.creates_namespace
    assert stack.serving.placed.cache_claim_name == "shared-models"
    assert cache.timeout_seconds == timeouts.check_timeout_seconds(MODEL_BYTES)
    [decision] = [one for one in stack.decisions if one.topic == "cache"]
    assert decision.choice == "existing claim shared-models"


def test_destroy_leaves_an_existing_volume_to_its_owner() -> None:
    kept = {(item.kind, item.name) for item in resolved(_from(VOLUME, cache=False)).retained}
    assert ("PersistentVolumeClaim", "shared-models") not in kept
    assert ("Namespace", "gpt-oss") not in kept


def test_an_existing_volume_has_a_size_already() -> None:
    [problem] = problems_of(_from(VOLUME, cache=True))
    assert (problem.key, problem.suggestion) == ("modelCache", "leave modelCache out")


def test_every_other_source_needs_a_volume() -> None:
    for source in (S3, {"kind": "huggingface"}):
        [problem] = problems_of(_from(source, cache=False))
        assert problem.key == "modelCache"
        assert problem.message == f"is missing: the files from {source['kind']} need a volume"


def test_an_explicit_revision_replaces_the_recipes() -> None:
    revision = "0123456789abcdef0123456789abcdef01234567"
    settings = disagg_b200_settings() | {"model": {"revision": revision}}
    stack = resolved(settings)
    assert stack.serving.placed.recipe.model.revision == revision
    assert stack.serving.placed.recipe.snapshot_path.endswith(revision)
    [decision] = [one for one in stack.decisions if one.topic == "cache"]
    assert "at the explicit model.revision" in decision.reason


def test_faster_storage_shortens_the_wait_for_the_graph() -> None:
    settings = disagg_b200_settings()
    slow = resolved(settings).serving.ready_timeout_seconds
    settings["modelCache"]["readMegabytesPerSecond"] = 2000
    stack = resolved(settings)
    # Half an hour for image and CUDA graphs, and 33 s for the files.
    assert stack.serving.ready_timeout_seconds == 31 * 60 < slow
    [decision] = [one for one in stack.decisions if one.subject == "wait for the graph"]
    assert decision.reason == ("by the model's size, read at 2,000 MB/s (modelCache.readMegabytesPerSecond)")
