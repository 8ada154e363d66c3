"""What the engine writes down of a resource, wherever it does."""

from typing import Any

from resource_graph.engine_state import (
    read_pending,
    read_resources,
    records_of_outputs,
)

URN = "urn:pulumi:s::p::p:components:Cache$kubernetes:core/v1:ConfigMap::settings::of-a"
ENTRY: dict[str, Any] = {"urn": URN, "type": "kubernetes:core/v1:ConfigMap", "id": "ns/c"}


def test_a_state_and_a_call_hold_the_same_record() -> None:
    [of_state] = read_resources({"resources": [ENTRY]})
    [(operation, of_call)] = read_pending({"pending_operations": [{"type": "creating", "resource": ENTRY}]})
    assert (of_state, operation) == (of_call, "creating")
    assert (of_state.resource.name, of_state.id) == ("settings::of-a", "ns/c")


def test_outputs_tell_what_was_asked_for_where_the_provider_keeps_it() -> None:
    kept, live = records_of_outputs(
        {URN: {"data": {"a": "2"}, "__inputs": {"data": {"a": "1"}}}, f"{URN}b": {"data": {"a": "3"}}}
    )
    assert (kept.inputs, kept.outputs["data"]) == ({"data": {"a": "1"}}, {"a": "2"})
    assert live.inputs == live.outputs == {"data": {"a": "3"}}
    assert (kept.resource.type, kept.resource.name) == ("kubernetes:core/v1:ConfigMap", "settings::of-a")
