import pytest

from failures.explanation import last_words

TRACEBACK = """INFO starting
Traceback (most recent call last):
  File "/opt/dynamo/main.py", line 7, in main
    runtime = DistributedRuntime(loop)
              ^^^^^^^^^^^^^^^^^^^^^^^^
Exception: Failed to connect to NATS: Connection refused.
"""
USAGE = """usage: worker.py [--model-path MODEL_PATH]
                 [--skip-components SKIP_COMPONENTS]
worker.py: error: argument --dyn-tool-call-parser: invalid choice: 'harmoni' (choose from 'harmony')
"""
YAML_ERROR = """yaml.scanner.ScannerError: mapping values are not allowed here
  in "/opt/dynamo/configs/decode.yaml", line 7, column 23
"""


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("", ""),
        ("one\n\ntwo\nthree\nfour\n", "two / three / four"),
        (TRACEBACK, "Exception: Failed to connect to NATS: Connection refused."),
        (
            USAGE,
            "usage: worker.py [--model-path MODEL_PATH] / worker.py: error: argument --dyn-tool-call-parser: "
            "invalid choice: 'harmoni' (choose from 'harmony')",
        ),
        (
            YAML_ERROR,
            "yaml.scanner.ScannerError: mapping values are not allowed here / "
            'in "/opt/dynamo/configs/decode.yaml", line 7, column 23',
        ),
        ("\x1b[2m2026\x1b[0m \x1b[31mERROR\x1b[0m  no   room", "2026 ERROR no room"),
    ],
)
def test_the_lines_that_say_what_was_wrong_are_kept(printed: str, said: str) -> None:
    assert last_words(printed) == said


def test_long_lines_before_the_last_one_go_first_and_the_last_one_is_cut_at_its_end() -> None:
    assert last_words("a" * 400 + "\n" + "b" * 400) == "b" * 400
    said = last_words("because " * 200)
    assert len(said) == 600
    assert said.endswith("…")
