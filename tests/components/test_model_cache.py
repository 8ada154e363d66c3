"""The Job that fills the cache belongs to one claim, and not to its name."""

import dataclasses
from typing import Any, NoReturn

import pulumi
import pytest
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks
from pulumi.runtime.proto import resource_pb2

from components.model_cache import FileSystem, ModelCache
from recipes.model_download import HuggingFaceDownload
from resource_graph.recorder import run_against
from stacks.plan.cache_plan import ExistingVolume, OwnVolume

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
JOB_SPEC = {"template": {"spec": {"containers": [{"name": "download", "image": "a"}]}}}


class _Cluster(Mocks):
    def __init__(self, uid: str) -> None:
        self._uid = uid

    def call(self, args: MockCallArgs) -> NoReturn:
        raise AssertionError(f"the component calls {args.token}")

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        if args.typ != CLAIM:
            return f"{args.name}-id", args.inputs
        return "serving/cache", args.inputs | {"metadata": {**args.inputs["metadata"], "uid": self._uid}}


class _Monitor(MockMonitor):
    """Keeps what the engine is asked for; in a preview it has no id for what it would make."""

    def __init__(self, uid: str, *, makes: bool) -> None:
        super().__init__(_Cluster(uid))
        self._makes = makes
        self.requests: dict[str, resource_pb2.RegisterResourceRequest] = {}

    def RegisterResource(  # noqa: N802 - the name of the remote procedure
        self, request: resource_pb2.RegisterResourceRequest
    ) -> resource_pb2.RegisterResourceResponse:
        self.requests[request.name] = request
        answer = super().RegisterResource(request)
        if request.type == CLAIM and not self._makes:
            return resource_pb2.RegisterResourceResponse(urn=answer.urn, object=answer.object)
        return answer


def _requests(
    cache: OwnVolume | ExistingVolume, *, makes: bool = True, **more: Any
) -> dict[str, resource_pb2.RegisterResourceRequest]:
    def program() -> None:
        provider = pulumi.ProviderResource("kubernetes", "cluster", {})
        ModelCache(
            "it",
            cache,
            claim_name="cache",
            namespace="serving",
            job_spec=JOB_SPEC,
            **more,
            depends_on=[],
            opts=pulumi.ResourceOptions(providers=[provider]),
        )

    monitor = _Monitor("uid-of-the-claim", makes=makes)
    run_against(monitor, program, project="toy", stack="toy", preview=not makes)
    return monitor.requests


OWN = OwnVolume(60, HuggingFaceDownload(), "files", None, 100, 90)


def _job(lost: str = "", *, makes: bool = True) -> resource_pb2.RegisterResourceRequest:
    return _requests(OWN, lost={lost: "the claim is gone"}, makes=makes)["it-download"]


def test_a_job_is_replaced_when_its_claim_is_another_one_of_the_same_name_and_tells_nothing_of_it() -> None:
    job = _job()
    assert job.replacement_trigger.string_value == "uid-of-the-claim"
    # Two Jobs of one name cannot be.
    assert job.deleteBeforeReplace
    # So an upgrade downloads nothing again.
    assert "uid-of-the-claim" not in str(job.object)


def test_a_preview_that_makes_the_claim_does_not_take_the_uid_of_its_dry_run_for_the_claims() -> None:
    assert _job(makes=False).replacement_trigger.string_value == rpc.UNKNOWN


@pytest.mark.parametrize(("found", "trigger"), [("theirs", "theirs"), (None, "")])
def test_a_volume_of_somebody_elses_is_checked_again_when_the_cluster_has_another_claim(
    found: str | None, trigger: str
) -> None:
    check = _requests(ExistingVolume(60), found_uid=found)["it-check"]
    assert check.replacement_trigger.string_value == trigger


def test_an_up_that_meets_the_lost_claim_unchanged_ends_and_one_that_has_made_it_again_goes_on() -> None:
    with pytest.raises(pulumi.RunError, match="the claim is gone"):
        _job("uid-of-the-claim")
    assert _job("uid-of-the-one-before")
    # A preview tells, and so does that of an `up --refresh`, which does not have the refreshed state either.
    assert _job("uid-of-the-claim", makes=False)


@pytest.mark.parametrize(
    ("file_system", "ignored"),
    [(FileSystem("files", "fs-1", {}, is_lustre=True), ["spec.resources"]), (None, [])],
    ids=["file system", "class"],
)
def test_a_claim_asks_for_no_more_where_its_file_system_grows(
    file_system: FileSystem | None, ignored: list[str]
) -> None:
    class_name = "" if file_system else "files"
    requests = _requests(dataclasses.replace(OWN, class_name=class_name), file_system=file_system)
    # Kubernetes lets no claim without a class grow.
    assert list(requests["it-claim"].ignoreChanges) == ignored
