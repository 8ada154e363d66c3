"""What a graph that others deployed is taken for."""

from operations.doctor.target import roles_in


def test_the_worker_of_an_aggregated_graph_may_call_itself_decode() -> None:
    services = {"Frontend": {"componentType": "frontend"}, "Worker": {"subComponentType": "decode"}}
    assert roles_in({"spec": {"services": services}}) == {"Frontend": ("frontend",), "Worker": ("worker",)}


def test_a_planner_is_no_worker_and_a_word_that_the_operator_does_not_know_is_one() -> None:
    types = {"planner": "planner", "prefill": "prefill", "decode": "decode", "old": "main"}
    components = [{"name": name, "type": said} for name, said in types.items()]
    assert roles_in({"spec": {"components": components}}) == {
        "planner": ("planner",),
        "prefill": ("prefill",),
        "decode": ("decode",),
        "old": ("worker",),
    }
