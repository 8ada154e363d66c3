"""The value that only the update will know."""

import copy
import pickle

from resource_graph import UNKNOWN


def test_an_unknown_value_is_the_same_one_in_a_copy_and_in_another_process() -> None:
    inputs = {"a": [UNKNOWN]}
    assert copy.deepcopy(inputs)["a"][0] is UNKNOWN
    assert pickle.loads(pickle.dumps(inputs))["a"][0] is UNKNOWN  # noqa: S301 - what was written the line before
