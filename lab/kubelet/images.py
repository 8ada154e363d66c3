"""The images whose programs are on this machine, and what an image runs when a container says nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Image:
    """An image by the last part of its name."""

    name: re.Pattern[str]
    entrypoint: tuple[str, ...]
    """What `args` are given to where the container has no `command`."""
    said: str = ""
    """What an argument has to say: an image may be known for one of its uses alone."""
    is_load_generator: bool = False
    """Whether it brings AIPerf, in place of the runtime's programs."""
    on_address: tuple[str, ...] = ()
    """Words that bind the program to the pod's address, which follows them, where its file names none."""


# The entry points are those of the images' Dockerfiles: nats-io/nats-docker (its script puts the server's
# name before arguments), etcd-io/etcd, ai-dynamo/dynamo container/.
_IMAGES = (
    Image(re.compile(r"nats"), ("nats-server",), on_address=("--addr",)),
    Image(re.compile(r"etcd"), ("etcd",)),
    Image(re.compile(r"[a-z]+-runtime|dynamo-frontend"), ("/bin/bash",)),
    Image(re.compile(r"python"), ("python3",), said="aiperf==", is_load_generator=True),
)


def image_of(container: Mapping[str, Any]) -> Image | None:
    """Return what is known of the container's image; None where its programs are not on this machine."""
    name = container["image"].rpartition("/")[2].partition("@")[0].partition(":")[0]
    said = "\n".join(container.get("args", ()))
    return next((each for each in _IMAGES if each.name.fullmatch(name) and each.said in said), None)


def words_of(container: Mapping[str, Any], image: Image, address: str) -> list[str]:
    """Return the container's command line before anything in it is replaced; `address` is the pod's."""
    words = [*(container.get("command") or image.entrypoint), *container.get("args", ())]
    return [*words, *image.on_address, address] if image.on_address else words
