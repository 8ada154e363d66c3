"""The URNs of every shipped stack, as lists to review: a changed one replaces what is deployed.

After a change that is meant, write them again and look at the diff:

    .venv/bin/python -m tests.components.committed_urns
"""

from pathlib import Path

from lab.directory import REPOSITORY
from stacks.stack_files import list_stacks
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

PROJECT = "dynamo-stack"
FOLDER = Path(__file__).parent / "urns"
_LIKE = "like "
_LIKENESSES = {
    "agg-b200": "vllm-agg-b200",
    "agg-gb200": "disagg-gb200-two-trays",
    "disagg-b200-8gpu": "disagg-b200-tcp",
    "disagg-gb200-two-trays": "disagg-b200-tcp",
    "latency-b200": "disagg-b200-tcp",
    "throughput-gb200": "agg-gb200",
    "throughput-h200": "latency-b200",
    "vllm-agg-b200": "disagg-b200-tcp",
    "vllm-agg-h200": "vllm-agg-b200",
    "vllm-disagg-h100": "vllm-agg-h200",
}
"""Stack -> the one whose list its own differs least from; any other stack's is written whole."""


def committed_urns(name: str) -> list[str]:
    """The list of a stack, sorted: its file holds it whole, or says which stack's it is like, and how not."""
    first, *lines = _file(name).read_text(encoding="utf-8").splitlines()
    if not first.startswith(_LIKE):
        return [_urn(name, line) for line in (first, *lines)]
    other = first.removeprefix(_LIKE)
    found = {_urn(name, _rest(urn)) for urn in committed_urns(other)}
    found -= {_urn(name, line[2:]) for line in lines if line.startswith("- ")}
    return sorted(found | {_urn(name, line[2:]) for line in lines if line.startswith("+ ")})


def recorded_urns(name: str) -> list[str]:
    """What the program registers now, sorted."""
    urns = [resource.urn for resource in recorded_stack(shipped_stack(name))]
    # The engine's own: the provider through which the program reads what the last run recorded as fixed.
    return sorted([*urns, f"urn:pulumi:{name}::{PROJECT}::pulumi:providers:pulumi::default"])


def _text(name: str, urns: list[str]) -> str:
    """What a stack's file holds."""
    own = {_rest(urn) for urn in urns}
    if name not in _LIKENESSES:
        return "\n".join(sorted(own)) + "\n"
    other = {_rest(urn) for urn in recorded_urns(_LIKENESSES[name])}
    lines = [*(f"- {each}" for each in sorted(other - own)), *(f"+ {each}" for each in sorted(own - other))]
    return "\n".join([_LIKE + _LIKENESSES[name], *lines]) + "\n"


def _urn(name: str, rest: str) -> str:
    return f"urn:pulumi:{name}::{PROJECT}::{rest}"


def _rest(urn: str) -> str:
    return urn.split("::", 2)[2]


def _file(name: str) -> Path:
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    for stack in list_stacks(REPOSITORY):
        _file(stack).write_text(_text(stack, recorded_urns(stack)), encoding="utf-8")
