import pytest
import yaml

from rules.reading.engines.settings import load_engine_yaml

ALIASES = "\n".join(
    ["l0: &l0 [x, x]", *(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9))]
)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: {c: [1, 2.5, yes]}\n",
        "defaults: &d {x: 1}\nown: {<<: *d, y: 2026-11-21}\n",
        "a: 1\na: 2\n",
        "",
        "3",
        "\n".join(f"- {number}" for number in range(500)),
    ],
)
def test_a_text_is_what_the_engines_library_makes_of_it(text: str) -> None:
    assert load_engine_yaml(text) == (yaml.safe_load(text), None)


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("a: 1\nb: c: d\n", "mapping values are not allowed", 2),
        ("a: 1\nb: *nowhere\n", "undefined alias", 2),
        ("a: !!python/name:os.system\n", "could not determine a constructor", 1),
        ("[" * 50_000, "nested too deeply", 1),
        ("- " * 50_000, "nested too deeply", 1),
        ("? " * 50_000, "nested too deeply", 1),
        ("\n".join(" " * depth + "a:" for depth in range(500)), "nested too deeply", 200),
        ("a: &a [*a]\n", "an alias contains itself", 1),
        (ALIASES, "more than 1,000,000 values", 7),
        ("a: \x07\n", "control characters", 1),
        ("a: 2026-13-41\n", "month must be in 1..12", None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_text_that_cannot_be_loaded_says_why(text: str, says: str, line: int | None) -> None:
    _, problem = load_engine_yaml(text)
    assert says in (problem or "")
    assert (problem or "").startswith(": not YAML" if line is None else f", line {line}: not YAML")
