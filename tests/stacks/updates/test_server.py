"""What preview says of a server without Dynamo."""

from tests.stacks.updates.changes import changed, override, update
from tests.support.shipped_stacks import served_settings


def test_nothing_is_said_where_nothing_changes() -> None:
    settings = served_settings("latency-b200")
    assert update(settings, settings).texts == []


def test_an_engine_option_restarts_the_server_and_says_for_how_long_nothing_serves() -> None:
    before = served_settings("latency-b200")
    change = update(before, changed(before, override("worker", max_batch_size=16)))
    assert change.text == (
        "every worker restarts: 1 x TrtllmServer (changed: engine files)\n"
        "  interruption: nothing serves until the new worker has loaded 65.2 GB, about 31 min at 36 MB/s\n"
        "  TrtllmServer: Recreate (pool b200 has no 8 GPUs free on one node to start a new worker "
        "beside the old)"
    )


def test_one_more_replica_restarts_none() -> None:
    before = served_settings("latency-b200")
    before["serving"] |= {"gpusPerWorker": 4, "replicas": {"worker": 1}}
    after = served_settings("latency-b200")
    after["serving"] |= {"gpusPerWorker": 4, "replicas": {"worker": 2}}
    assert update(before, after).text == (
        "no worker restarts: TrtllmServer 1 -> 2 replicas, 1 pod added on 4 GPUs of pool b200"
    )
