import pytest

from operations.smoke.protocol import channel_mark, looks_like_call, repeated_end


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Ready.", ""),
        ("The analysis of the assistant is final.", ""),
        ("analysisWe look.assistantfinalReady.", "analysis…assistantfinal"),
        ("analysis: all is well, said the assistant finally", ""),
        ("<|start|>assistant<|channel|>final<|message|>Ready.", "<|start|>"),
        ("Ready.<|return|>", "<|return|>"),
        ("a <|tag|> of another kind", ""),
    ],
)
def test_a_mark_of_a_channel_is_told_from_what_a_person_writes(text: str, mark: str) -> None:
    assert channel_mark(text) == mark


@pytest.mark.parametrize(
    ("text", "is_call"),
    [
        ("I would call the function check_disk to see.", False),
        ("check_disk tells whether there is room.", False),
        ("check_disk()", True),
        ('{"name":"check_disk","arguments":{}}', True),
        ("to=functions.check_disk", True),
    ],
)
def test_a_call_is_told_from_talk_about_it(text: str, is_call: bool) -> None:
    assert looks_like_call(text, "check_disk") == is_call


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("", ""),
        ("so so so, it is ready", ""),
        ("it is " + "very " * 9 + "good", ""),
        ("it is" + " very" * 10, "very"),
        ("it is" + " so, so" * 12 + "\n", "so, so"),
        ("| a | b |\n" + "-" * 60, ""),
    ],
)
def test_only_an_end_of_ten_times_the_same_is_a_repetition(text: str, unit: str) -> None:
    assert repeated_end(text) == unit
