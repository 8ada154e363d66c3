"""The language host's stand-in on toy programs, through the real pulumi CLI."""

from pathlib import Path

import pytest

from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.engine

REFUSES_WHILE_ANSWERS_COME = """
import asyncio, pulumi

async def answer():
    try:
        await asyncio.sleep(60)
    finally:
        taken = asyncio.Future()
        taken.cancel()
        taken.set_result(None)

async def refuse():
    asyncio.ensure_future(answer())
    await asyncio.sleep(0.1)
    raise pulumi.RunError("too small")

pulumi.export("refused", pulumi.Output.from_input(refuse()))
"""


@pytest.mark.parametrize(
    ("name", "program", "runtime", "said"),
    [
        # Refused by the program: without a traceback.
        ("refuses", "import pulumi\nraise pulumi.RunError('too small')\n", "python", ["error: too small"]),
        ("late", REFUSES_WHILE_ANSWERS_COME, "python", ["error: too small"]),
        # Its defect: with the line.
        ("breaks", "import pulumi\n\nboom = 1 / 0\n", "python", ["Traceback", "line 3", "ZeroDivisionError"]),
        (
            "lacks",
            "",
            "{name: python, options: {toolchain: pip, virtualenv: nowhere}}",
            ["nowhere", "pulumi install"],
        ),
    ],
    ids=["refusal", "refusal while answers come", "defect", "no virtualenv"],
)
def test_a_program_that_fails_says_why(
    engine: Sandbox, tmp_path: Path, name: str, program: str, runtime: str, said: list[str]
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(f"name: {name}\nruntime: {runtime}\n")
    (tmp_path / "__main__.py").write_text(program)
    engine.pulumi("stack", "init", "toy", cwd=tmp_path)
    answer = engine.pulumi("preview", "--stack", "toy", cwd=tmp_path, check=False)
    assert answer.returncode != 0
    assert [each for each in said if each not in answer.stdout] == []
    assert ("Traceback" in answer.stdout + answer.stderr) is ("Traceback" in said)
