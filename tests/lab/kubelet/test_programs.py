"""The load generator where it cannot be installed, or not yet: a reason in words, and nothing left."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from lab.kubelet.images import image_of
from lab.kubelet.objects import CannotStartError
from lab.kubelet.programs import Programs
from lab.toolchain.pulled import outside_variables

if TYPE_CHECKING:
    from pathlib import Path

    from lab.kubelet.images import Image


def measures() -> Image:
    image = image_of({"image": "python:3.12"})
    assert image is not None
    return image


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, index: str) -> Programs:
    """Those of a kubelet behind the seal, on a machine whose package index is this address."""
    outside = {**os.environ, "UV_INDEX_URL": index, "UV_DEFAULT_INDEX": index}
    outside |= {"UV_HTTP_RETRIES": "0", "UV_NO_CACHE": "1"}
    for name, value in outside_variables(outside).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LAB_TOOLS_CACHE", str(folder / "cache"))
    return Programs(folder / "kubelet", folder, folder / "python")


def test_nothing_but_what_reaches_the_package_index_comes_through_the_seal() -> None:
    secret = {"AWS_PROFILE": "production", "KUBECONFIG": "/root/.kube/config", "HF_TOKEN": "secret"}
    [told] = outside_variables(
        secret | {"HOME": "/root", "https_proxy": "http://p", "UV_INDEX": "i"}
    ).values()
    assert all(value not in told for value in secret.values())
    assert all(value in told for value in ("/root", "http://p", "i"))


def test_an_index_out_of_reach_is_told_as_an_image_that_cannot_be_pulled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = programs(tmp_path, monkeypatch, "http://127.0.0.1:9/simple")
    said: list[str] = []
    with pytest.raises(CannotStartError) as failed:
        asyncio.run(here.pull(measures(), said.append))
    assert failed.value.reason == "ErrImagePull"
    assert "AIPerf cannot be installed:" in str(failed.value)
    assert "127.0.0.1:9" in str(failed.value)
    assert said[0].startswith("installing AIPerf (aiperf==0.13.0, about 840 MB), once per machine")
