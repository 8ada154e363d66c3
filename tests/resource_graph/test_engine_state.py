import pytest
from google.protobuf.struct_pb2 import Struct

from resource_graph.engine_state import duration_seconds, plain_inputs, plain_state

SIGNATURE = "4dabf18193072939515e22adb298388d"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("20m", 1200), ("1h30m", 5400), ("1.5h", 5400), ("250ms", 0.25), ("", None)],
)
def test_durations_are_read_as_go_writes_them(text: str, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


@pytest.mark.parametrize("text", ["20", "m", "20 m", "-1s", "1d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        duration_seconds(text)


def test_a_secret_inside_a_list_is_found() -> None:
    struct = Struct()
    secret = {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "value": {"deep": 1.0}}
    struct.update({"env": [{"value": "plain"}, {"value": secret}]})
    values, secret_paths = plain_inputs(struct)
    assert values == {"env": [{"value": "plain"}, {"value": {"deep": 1}}]}
    assert secret_paths == {("env", 1, "value")}


def test_what_the_sdk_adds_for_itself_is_no_input_of_the_program() -> None:
    struct = Struct()
    struct.update({"__provider": "code", "context": "gpu-cluster"})
    assert plain_inputs(struct)[0] == {"context": "gpu-cluster"}
    assert plain_state({"__provider": "code", "context": "gpu-cluster"})[0] == {"context": "gpu-cluster"}
