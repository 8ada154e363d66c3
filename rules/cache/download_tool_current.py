"""A download's settings have an effect in the version that it installs."""

import re
from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.commands.container_scripts import read_script
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users

_VARIABLE = "HF_HUB_ENABLE_HF_TRANSFER"
_PACKAGE = re.compile(r"huggingface[-_]hub(?:\[[\w,-]*\])?(?:==(\d+)\.\S*)?")
_OFF = frozenset({"", "0", "NO", "OFF", "FALSE"})


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"download"}, lambda user: _check_user(graph, user))


def _check_user(graph: ResourceGraph, user: ModelUser) -> Iterator[Observation]:
    if (user.variable(_VARIABLE) or "").upper() in _OFF:
        return
    for words, _ in read_script(graph, user.template, user.container).arguments_of("pip", "pip3"):
        for word in words:
            match = _PACKAGE.fullmatch(word.text)
            if match is None or (match.group(1) is not None and int(match.group(1)) < 1):
                continue
            yield failed(
                user.resource,
                user.name,
                f"sets {_VARIABLE}, which {word.text} does not read any more: hf_transfer is no longer used",
            )


RULE = Rule(
    id="download-tool-current",
    title="A download's settings have an effect in the version that it installs",
    severity=Severity.ADVISORY,
    reason="huggingface_hub has downloaded through xet since 1.0: hf_transfer speeds up nothing any more.",
    source="huggingface/huggingface_hub 1.33 src/huggingface_hub/constants.py (hf_transfer is not used)",
    lines=("huggingface_hub 1.33",),
    fix="Drop hf_transfer and its variable; HF_XET_HIGH_PERFORMANCE=1 takes its place.",
    check=_check,
)
