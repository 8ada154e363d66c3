from typing import Any

from operations.mock_engine import ENGINE_ANNOTATION, has_mock_engine


def _pod(**metadata: Any) -> dict[str, Any]:
    return {"metadata": metadata}


def test_one_pod_that_says_mock_is_enough() -> None:
    assert has_mock_engine([_pod(name="a"), _pod(annotations={ENGINE_ANNOTATION: "mock"})])


def test_pods_that_say_nothing_or_something_else_are_real() -> None:
    assert not has_mock_engine([])
    assert not has_mock_engine([_pod(annotations=None), _pod(annotations={ENGINE_ANNOTATION: "none"}), {}])
