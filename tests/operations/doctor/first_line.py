"""The doctor's first line about a stack in the lab."""

from tests.support.lab_stack import LabStack


def sick(stack: LabStack) -> str:
    """What the first line names; the exit code says that something is wrong."""
    return _first_line(stack, 1, "sick: ")


def healthy(stack: LabStack) -> str:
    """What the first line says of a stack that answers."""
    return _first_line(stack, 0, "healthy: it answered from a mock engine in ")


def _first_line(stack: LabStack, code: int, verdict: str) -> str:
    answer = stack.dynamo_stack("doctor", stack.name, check=False)
    assert answer.returncode == code, answer.stdout + answer.stderr
    line = answer.stdout.splitlines()[0]
    assert line.startswith(f"stack {stack.name} is {verdict}"), line
    return line
