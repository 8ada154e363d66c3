"""What a container finds at a path or behind a name, written for a process that shares this machine's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANYWHERE = re.compile(r"(?<![\d.])0\.0\.0\.0(?![\d.])")


@dataclass(frozen=True)
class Translation:
    """The mounts, names and address of one container.

    A path that is mounted nowhere and a name that no Service bears stay as they are, so that the program
    fails on them as it would in a cluster.
    """

    address: str
    """The pod's own address, which takes the place of "all interfaces"."""
    mounts: Mapping[str, str]
    """Mount path -> folder or file of this machine."""
    names: Mapping[str, str]
    """Name in the cluster's DNS, dots and all -> address."""
    hosts: Mapping[str, str]
    """Name of a Service of the pod's own namespace -> address; only where a host stands in a URL."""

    def text(self, text: str) -> str:
        """Return the text with every mount, name and wildcard address replaced."""
        if self.mounts:
            text = _paths(self.mounts).sub(lambda found: self.mounts[found[0]], text)
        if self.names:
            text = _words(self.names).sub(lambda found: self.names[found[0]], text)
        if self.hosts:
            text = _in_urls(self.hosts).sub(lambda found: self.hosts[found[0]], text)
        return _ANYWHERE.sub(self.address, text)


def _longest_first(names: Mapping[str, str]) -> str:
    return "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))


def _paths(mounts: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-])(?:{_longest_first(mounts)})(?![\w.-])")


def _words(names: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{_longest_first(names)})(?![\w-])(?!\.\w)")


def _in_urls(hosts: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<=//)(?:{_longest_first(hosts)})(?=[:/]|$)")
