from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.cluster_answer import KINDS
from tests.operations.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from pathlib import Path


class AnsweringCluster(FakeCluster):
    """Answers for the kinds that a test has put down; of any other it does not say."""

    def answers(self, **kinds: Any) -> None:
        """Put down the answers by kind or plural: a list for a listing, a mapping for one object."""
        for name, answer in kinds.items():
            kind = KINDS.get(name)
            plural = kind.plural if kind else name.partition(".")[0]
            self.objects[plural] = answer if isinstance(answer, list) else [answer]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnsweringCluster:
    answering = AnsweringCluster(tmp_path)
    answering.answer_in(monkeypatch)
    return answering
