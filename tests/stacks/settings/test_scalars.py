import pytest

from resource_graph.yaml_events import YamlProblem
from stacks.settings.yaml_file import parse_yaml
from tests.stacks.settings.scalar_forms import REFUSED_FORMS, SCALAR_FORMS


def test_a_scalar_means_what_the_engine_takes_it_for() -> None:
    read = {written: parse_yaml(f"- {written}\n") for written in SCALAR_FORMS}
    assert {written: repr(value) for written, value in read.items()} == {
        written: repr([value]) for written, value in SCALAR_FORMS.items()
    }


@pytest.mark.parametrize("written", REFUSED_FORMS)
def test_a_scalar_that_readers_of_yaml_disagree_about_is_refused_with_its_line(written: str) -> None:
    with pytest.raises(YamlProblem, match="quote it") as raised:
        parse_yaml(f"a: 1\nb: {written}\n")
    assert raised.value.line == 2
    assert parse_yaml(f"a: '{written}'\n") == {"a": written}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\na: 2\n", 2, "twice"),
        ("a:\n  b: 1\n  c: 2\n  b: 3\n", 4, "twice"),
        ("a: !!str 12\n", 1, "tag"),
        ("a: [1, 2\nb: 3\n", 2, "expected"),
        ("a: {b: 1\n", 1, "expected"),
        ("? [a, b]\n: 1\n", 1, "plain text"),
        ("a: &x 1\n<<: *x\n", 2, "mapping"),
        ("a: 1\n---\nb: 2\n", 3, "another document"),
        ("---\n---\nb: 2\n", 3, "another document"),
        ("a: !!map {}\n", 1, "tag"),
        ("a: !own [1]\n", 1, "tag"),
        ("a: &loop [1, *loop]\n", 1, "contains itself"),
    ],
)
def test_yaml_that_the_engine_refuses_or_reads_otherwise_is_refused_with_its_line(
    text: str, line: int, said: str
) -> None:
    with pytest.raises(YamlProblem, match=said) as raised:
        parse_yaml(text)
    assert raised.value.line == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\n", {"x": 1, "y": 3}),
        ("base: &b {x: 1}\nown:\n  !!merge <<: *b\n  z: 4\n", {"x": 1, "z": 4}),
        ("base: [&b {x: 1, y: 2}, &c {x: 9}]\nown: {<<: [*b, *c]}\n", {"x": 1, "y": 2}),
        ("base: &b {x: 1}\nown: {x: 5, <<: *b}\n", {"x": 5}),
    ],
)
def test_merge_keys_fill_in_what_is_not_written(text: str, value: dict[str, int]) -> None:
    assert parse_yaml(text)["own"] == value


@pytest.mark.parametrize("written", ["1", "true", "~", "1.50"])
def test_a_key_that_the_engine_would_make_a_text_of_is_refused_unless_it_is_quoted(written: str) -> None:
    with pytest.raises(YamlProblem, match="quote it"):
        parse_yaml(f"{written}: x\n")
    assert parse_yaml(f"'{written}': x\n") == {written: "x"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: |\n  1.30\n  x\nb: >-\n  one\n  two\n", {"a": "1.30\nx\n", "b": "one two"}),
        ("# only a comment\n", None),
    ],
)
def test_block_text_keeps_its_lines_and_an_empty_file_is_nothing(text: str, value: object) -> None:
    assert parse_yaml(text) == value
