"""What TensorRT-LLM's own server refuses in a request: a stand-in made from its published request models.

Nobody has run the real server here; it takes types too, which this does not look at.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

PATHS = {"/v1/chat/completions": "chat", "/v1/responses": "responses"}
_FILE = Path(__file__).with_name("trtllm_serve_requests.yaml")


def refusal(path: str, body: Mapping[str, Any]) -> str | None:
    """Why the server answers 400 to this body; None where it takes it."""
    if body.get("stream_options") and not body.get("stream"):
        return "stream_options can only be set if stream is true"
    try:
        _request(PATHS[path]).model_validate(body)
    except ValidationError as error:
        return "; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())
    return None


@cache
def _request(name: str) -> type[BaseModel]:
    rows = yaml.safe_load(_FILE.read_text(encoding="utf-8"))[name]
    fields: dict[str, Any] = {field: (Any, None) for row in rows for field in row}
    if "max_completion_tokens" in fields:
        fields["max_completion_tokens"] = (Any, Field(default=None, validation_alias="max_tokens"))
    return create_model(name, __config__=ConfigDict(extra="forbid", populate_by_name=True), **fields)
