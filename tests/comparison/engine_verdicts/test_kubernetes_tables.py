"""The table of fields that replace, held against that of the lab's provider, which was read apart from it."""

from __future__ import annotations

import pytest

from comparison.engine_verdicts.kubernetes_tables import IDENTITY, REPLACED, REPLACED_IF_MUTABLE, replaced
from lab.kubernetes_provider.forced_replacement import _PATHS, forcing_paths

_KINDS = sorted(
    {*REPLACED, *_PATHS, ("", "ConfigMap"), ("", "Secret"), ("", "Namespace"), ("apps", "Unheard")}
)


@pytest.mark.parametrize("is_mutable", [False, True])
def test_the_table_names_the_fields_that_the_labs_provider_replaces_for(is_mutable: bool) -> None:
    ours = {
        kind: sorted(".".join(steps) for steps in (*IDENTITY, *replaced(kind, is_mutable=is_mutable)))
        for kind in _KINDS
    }
    assert ours == {kind: _of_the_lab(*kind, is_mutable=is_mutable) for kind in _KINDS}


def _of_the_lab(group: str, name: str, *, is_mutable: bool) -> list[str]:
    inputs = {"apiVersion": f"{group}/v1" if group else "v1", "kind": name}
    paths = forcing_paths(inputs, config_map_mutable=is_mutable, secret_mutable=is_mutable)
    return sorted(path.removeprefix(".").replace("[*]", ".*") for path in paths)


def test_only_content_can_be_mutable() -> None:
    assert sorted(REPLACED_IF_MUTABLE) == [("", "ConfigMap"), ("", "Secret")]
