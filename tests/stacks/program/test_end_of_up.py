"""What ends an `up`, and what it waits for no longer."""

import asyncio
from typing import Any

import pulumi
import pytest

from components.cluster_answer import Answer
from stacks.program import end_of_up
from stacks.updates.guards.foreign_and_lost import objects_of
from tests.support.clusters import REFUSED, SILENT, Told
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.shipped_stacks import served_settings


def test_a_server_without_dynamo_is_looked_at_as_one() -> None:
    servers, graphs = (
        objects_of(resolved(settings))
        for settings in (served_settings("latency-b200"), disagg_b200_settings())
    )
    assert (servers.by_dynamo, graphs.by_dynamo) == (False, True)


@pytest.mark.parametrize("answer", [SILENT, REFUSED])
def test_an_up_that_cannot_look_does_not_end_green(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end_of_up, "_SILENT_SECONDS", 0.02)
    monkeypatch.setattr(end_of_up, "_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(pulumi.log, "info", lambda *_: None)
    stack = resolved(disagg_b200_settings())
    served, graph = objects_of(stack), Any
    cluster = Told({"dynamographdeployments": answer})
    with pytest.raises(pulumi.RunError, match="could not be looked at"):
        asyncio.run(end_of_up._until_well(stack, served, lambda: cluster, graph))
