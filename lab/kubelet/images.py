"""Images whose programs are on this machine, by name alone, and what they run where a container is silent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.toolchain.runtime import LATER_RUNTIMES

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Image:
    """Images by the last part of their name, the tag included."""

    name: re.Pattern[str]
    entrypoint: tuple[str, ...]
    """What `args` are given to where the container has no `command`."""
    pulled: str | None = None
    """Name of its programs where they are installed for the first pod (lab/toolchain/pulled.py)."""
    measures: bool = False
    """Whether the load generator is among its programs, in place of a runtime."""
    on_address: tuple[str, ...] = ()
    """Words that bind the program to the pod's address, which follows them, where its file names none."""


_ANY_TAG = r"([:@].*)?"
_RUNTIME = "([a-z]+-runtime|dynamo-frontend)"
# The entry points are those of the images' Dockerfiles: nats-io/nats-docker (its script puts the server's
# name before arguments), etcd-io/etcd, ai-dynamo/dynamo container/, docker-library/python. Python's slim one
# stays simulated, as every other image does.
_IMAGES = (
    Image(re.compile(f"nats{_ANY_TAG}"), ("nats-server",), on_address=("--addr",)),
    Image(re.compile(f"etcd{_ANY_TAG}"), ("etcd",)),
    *(
        Image(re.compile(f"{_RUNTIME}:{re.escape(line)}[.].*"), ("/bin/bash",), pulled=f"runtime-{line}")
        for line in LATER_RUNTIMES
    ),
    Image(re.compile(f"{_RUNTIME}{_ANY_TAG}"), ("/bin/bash",)),
    Image(
        re.compile(r"python:[0-9.]+(-bookworm|-trixie)?(@.*)?"), ("python3",), pulled="aiperf", measures=True
    ),
)


def image_of(container: Mapping[str, Any]) -> Image | None:
    """Return what is known of the container's image; None where its programs are not on this machine."""
    name = container["image"].rpartition("/")[2]
    return next((each for each in _IMAGES if each.name.fullmatch(name)), None)


def words_of(container: Mapping[str, Any], image: Image, address: str) -> list[str]:
    """Return the container's command line before anything in it is replaced; `address` is the pod's."""
    words = [*(container.get("command") or image.entrypoint), *container.get("args", ())]
    return [*words, *image.on_address, address] if image.on_address else words
