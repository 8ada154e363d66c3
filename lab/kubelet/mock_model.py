"""A model's folder that a tokenizer can be read from, as a download would have left it, without any weights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = 5000
_SPECIAL = ("<unk>", "<s>", "</s>")
_TEMPLATE = "{% for message in messages %}{{ message['role'] }} {{ message['content'] }} {% endfor %}"
_CONTEXT = 131072
"""max_position_embeddings of openai/gpt-oss-120b (config.json on Hugging Face)."""


def write_model(hub: Path, repository: str, revision: str) -> None:
    """Write the snapshot of one revision below the cache's `hub` folder; writing it again changes nothing.

    Args:
        hub: the folder that Hugging Face's cache calls hub, below HF_HOME.
        repository: such as openai/gpt-oss-120b.
        revision: the commit of the model.

    """
    model = hub / f"models--{repository.replace('/', '--')}"
    snapshot = model / "snapshots" / revision
    snapshot.mkdir(parents=True, exist_ok=True)
    (model / "refs").mkdir(exist_ok=True)
    (model / "refs" / "main").write_text(revision, encoding="utf-8")
    for name, content in _files().items():
        (snapshot / name).write_text(json.dumps(content), encoding="utf-8")


def _files() -> dict[str, object]:
    ends = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    # The runtime reads shapes from it; the sizes are gpt-oss-120b's, so that KV blocks are counted as there.
    config = {
        "architectures": ["GptOssForCausalLM"],
        "model_type": "gpt_oss",
        "max_position_embeddings": _CONTEXT,
        "num_hidden_layers": 36,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "hidden_size": 2880,
        "vocab_size": len(_SPECIAL) + _WORDS,
        **ends,
    }
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "model_max_length": _CONTEXT,
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
