"""A model's folder as a download would have left it: a tokenizer that can be read, and no weights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.directory import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

_SHAPES = REPOSITORY / "lab" / "runtime_image" / "models"
"""What config.json of a model says of its shape, without the tokenizer's part, which is the mock's own."""

_WORDS = 5000
_SPECIAL = ("<unk>", "<s>", "</s>")
_TEMPLATE = "{% for message in messages %}{{ message['role'] }} {{ message['content'] }} {% endfor %}"


def is_known(repository: str) -> bool:
    """Whether the lab knows the shape of this repository's model."""
    return "/" in repository and _shape_file(repository).exists()


def write_model(hub: Path, repository: str, revision: str) -> None:
    """Write the snapshot of one revision below the cache's `hub` folder; writing it again changes nothing.

    Args:
        hub: the folder that Hugging Face's cache calls hub, below HF_HOME.
        repository: owner and name on Hugging Face of a model that is known here.
        revision: the commit of the model.

    """
    shape = json.loads(_shape_file(repository).read_text(encoding="utf-8"))
    model = hub / f"models--{repository.replace('/', '--')}"
    snapshot = model / "snapshots" / revision
    snapshot.mkdir(parents=True, exist_ok=True)
    (model / "refs").mkdir(exist_ok=True)
    (model / "refs" / "main").write_text(revision, encoding="utf-8")
    for file, content in _files(shape).items():
        (snapshot / file).write_text(json.dumps(content), encoding="utf-8")


def _shape_file(repository: str) -> Path:
    return _SHAPES / f"{repository.replace('/', '--')}.json"


def _files(shape: dict[str, Any]) -> dict[str, object]:
    ends = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    config = {**shape, "vocab_size": len(_SPECIAL) + _WORDS, **ends}
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "model_max_length": shape["max_position_embeddings"],
        "chat_template": _TEMPLATE,
    }
    return {
        "config.json": config,
        "generation_config.json": ends,
        "tokenizer.json": _tokenizer(),
        "tokenizer_config.json": settings,
    }


def _tokenizer() -> dict[str, object]:
    words = {word: number for number, word in enumerate(_SPECIAL)}
    words |= {f"w{number}": len(_SPECIAL) + number for number in range(_WORDS)}
    added = [
        {
            "id": number,
            "content": word,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number, word in enumerate(_SPECIAL)
    ]
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "<unk>"},
    }
