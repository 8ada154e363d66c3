from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from resource_graph.input_text import InputError, read_inputs
from resource_graph.manifests import manifest_graph

RECIPES = Path(__file__).parents[1] / "rules" / "published"


def read(tmp_path: Path, text: str | bytes, name: str = "objects.yaml") -> list[dict[str, object]]:
    return [dict(resource.inputs) for resource in manifest_graph(read_inputs([write(tmp_path, text, name)]))]


def write(tmp_path: Path, text: str | bytes, name: str = "objects.yaml") -> Path:
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def problem(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    return str(caught.value)


def test_each_document_keeps_its_file_number_and_line(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "---\n# empty\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\napiVersion: v1\nkind: Pod\n",
    )
    first, second = manifest_graph(read_inputs([file]))
    assert (first.name, first.type) == ("p", "kubernetes:core/v1:Pod")
    assert first.origin is not None
    assert (first.origin.file, first.origin.document, first.origin.source.line) == (str(file), 2, 4)
    assert str(second.origin) == f"{file}, document 3, line 8"


def test_a_list_stands_for_its_items(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: B}\n"
    assert [item["kind"] for item in read(tmp_path, text)] == ["A", "B"]


def test_dates_stay_text_and_number_keys_become_text(tmp_path: Path) -> None:
    (content,) = read(tmp_path, "apiVersion: v1\nkind: A\ndate: 2026-11-21\ndata: {1: one}\n")
    assert content["date"] == "2026-11-21"
    assert content["data"] == {"1": "one"}


def test_merge_keys_give_way_to_own_keys(tmp_path: Path) -> None:
    (content,) = read(tmp_path, "apiVersion: v1\nkind: A\nbase: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\n")
    assert content["own"] == {"x": 1, "y": 3}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apiVersion: v1\nkind: A\nx: a: b\n", "document 1, line 3: not YAML"),
        ("apiVersion: v1\nkind: A\n---\n- 1\n", "document 2, line 4: the document is not a mapping"),
        ("kind: A\n", "apiVersion: it is missing"),
        ("apiVersion: v1\nkind: 7\n", "kind: found 7"),
        ("apiVersion: v1\nkind: A\na: 1\na: 2\n", "line 4: the key 'a' stands twice"),
        ("apiVersion: v1\nkind: A\nx: &a [*a]\n", "line 3: an alias contains itself"),
        ("apiVersion: v1\nkind: A\nx: !!python/name:os.system\n", "line 3: not YAML"),
        ("apiVersion: v1\nkind: A\nx: !!binary aGk=\n", "line 3: a value of type bytes"),
        ("apiVersion: v1\nkind: A\n{{ .Values.x }}\n", "line 3: {{ .Values.x }} belongs to a template"),
        ("apiVersion: v1\n{% if a %}\nkind: A\n{% endif %}\n", "line 2: {% if a %} belongs to a template"),
        ("apiVersion: v1\nkind: A\nspec:\n${BLOCK}\n  a: 1\n", "line 4: ${BLOCK} belongs to a template"),
        ("apiVersion: v1\nkind: A\nx: '{{x}}'\ny: a: b\n", "line 4: not YAML"),
        ("apiVersion: v1\nkind: List\nitems: [1]\n", "items[0] of the List is not a mapping"),
        ("[" * 5_000, "nested too deeply"),
        ("- " * 50_000, "nested too deeply"),
        ("apiVersion: v1\nkind: A\nx: *a\n", "line 3: not YAML: the alias *a stands for nothing"),
        ("apiVersion: v1\nkind: A\nx: &a {<<: *a}\n", "line 3: an alias contains itself"),
        ("apiVersion: v1\nkind: A\nx: {<<: [1]}\n", "line 3: only mappings can be merged with <<"),
        ("apiVersion: v1\nkind: A\nx: {[a]: 1}\n", "line 3: a key must be plain text"),
        ("apiVersion: v1\nkind: A\nx: \x01", "line 3: not YAML: control characters"),
        (b"\xff\xfe\x00", "not a UTF-8 text file"),
    ],
)
def test_what_cannot_be_read_is_named_with_file_and_place(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    said = problem(tmp_path, text)
    assert "objects.yaml" in said
    assert expected in said


@pytest.mark.parametrize(
    ("width", "depth", "said"),
    [(10, 9, "values"), (1, 1_000, "nested too deeply, more than 200 levels")],
    ids=["memory", "recursion"],
)
def test_aliases_of_aliases_exhaust_neither_memory_nor_recursion(
    tmp_path: Path, width: int, depth: int, said: str
) -> None:
    lines = ["apiVersion: v1", "kind: A", "l0: &l0 [x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, depth)]
    assert said in problem(tmp_path, "\n".join(lines))


@pytest.mark.parametrize("file", sorted(RECIPES.rglob("*.yaml")), ids=lambda file: file.name)
def test_real_manifests_are_read_as_pyyaml_reads_them(file: Path) -> None:
    documents = [item for item in yaml.safe_load_all(file.read_text()) if item is not None]
    assert [dict(resource.inputs) for resource in manifest_graph(read_inputs([file]))] == documents


@pytest.mark.parametrize(
    "text",
    [
        "4 4.0 1e3 1.5e+3 0x1F 0o17 017 1_000 12:30 .5 -.inf +1",
        "true Yes off NO on y n ~ null Null = 2.3.4 a",
        "!!str 4|!!int '4'|!!float 4|!!null ''|! 4|'4'|\"true\"|'~'",
    ],
)
def test_scalars_are_what_pyyaml_makes_of_them_but_for_what_kubernetes_clients_read_otherwise(
    tmp_path: Path, text: str
) -> None:
    scalars = text.split("|") if "|" in text else text.split()
    (content,) = read(
        tmp_path, "apiVersion: v1\nkind: A\nx:\n" + "".join(f"- {scalar}\n" for scalar in scalars)
    )
    # PyYAML has a type for a lone equals sign, which nobody can construct; an API server of 1.36.3 was asked
    # for the others.
    otherwise = {"=": "=", "1e3": 1000.0, "12:30": "12:30"}
    expected = [otherwise.get(scalar, yaml.safe_load(scalar.replace("=", "a"))) for scalar in scalars]
    assert repr(content["x"]) == repr(expected)


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yaml", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            manifest_graph(read_inputs([path]))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#% \n\t0<,?"), max_size=60))
def test_any_text_is_read_or_refused_with_words(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = write(tmp_path_factory.getbasetemp(), f"apiVersion: v1\nkind: A\n{text}\n", "fuzzed.yaml")
    try:
        count = len(manifest_graph(read_inputs([file])))
    except InputError as error:
        said = str(error)
    else:
        said = f"{file}: {count} objects"
    assert said.startswith(str(file))
