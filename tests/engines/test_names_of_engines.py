"""An engine is a value: outside its package and the registry no code names one."""

import ast
import re
from pathlib import Path

import pytest

from recipes.load import recipe_names

REPOSITORY = Path(__file__).resolve().parents[2]
ROOMS = (
    "cli",
    "components",
    "compose",
    "engines",
    "failures",
    "hardware",
    "operations",
    "recipes",
    "resource_graph",
    "stacks",
)
"""Rules and policy judge anybody's manifests, of any engine, and so name them; the lab stands in for them."""
_ENGINE = re.compile(r"tensorrt|trtllm|vllm", re.IGNORECASE)

_SOURCES = {"Source", "PublishedShape"}
"""What says where something was read or published."""

NAMED_ON_PURPOSE = {
    # The registry, and what this room hands to rules, which judge the manifests of others.
    "engines/__init__.py",
    "engines/registry.py",
}


def _files() -> list[Path]:
    packages = ("engines/tensorrt_llm/", "engines/vllm/")
    found = [file for room in ROOMS for file in sorted((REPOSITORY / room).rglob("*.py"))]
    return [file for file in found if not file.relative_to(REPOSITORY).as_posix().startswith(packages)]


def _names(file: Path) -> list[str]:
    """Words of the code that name an engine; docstrings, comments and sources say where a fact was read.

    A recipe's name is no engine's.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _SOURCES:
            said |= {id(each) for argument in call.args for each in ast.walk(argument)}
    words: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in said and text not in recipe_names():
                words.append(text)
            case ast.Name(id=name) | ast.ImportFrom(module=str(name)) | ast.alias(name=name):
                words.append(name)
            case ast.Attribute(attr=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                words.append(name)
            case _:
                pass
    return [word for word in words if _ENGINE.search(word)]


def test_no_code_names_an_engine_outside_its_package_and_the_registry() -> None:
    named = {file.relative_to(REPOSITORY).as_posix(): _names(file) for file in _files()}
    assert {file: words for file, words in named.items() if words and file not in NAMED_ON_PURPOSE} == {}
    assert {file for file, words in named.items() if words} >= NAMED_ON_PURPOSE, "no longer needed"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('"""vLLM."""', []),
        ("# TensorRT-LLM", []),
        ('RECIPE = "gpt-oss-120b/trtllm-agg"', []),
        ('REPORT = Source("NVIDIA/TensorRT-LLM#16619", "2026-07-22")', []),
        ("from engines.vllm.options import X", ["engines.vllm.options"]),
        ("if framework == 'vllm': pass", ["vllm"]),
        ("TensorRtLlm()", ["TensorRtLlm"]),
    ],
)
def test_a_name_in_code_is_found_and_one_in_a_docstring_is_not(
    code: str, found: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "x.py"
    file.write_text(code, encoding="utf-8")
    assert _names(file) == found
