"""What to say about a setting that comes in several kinds, each with keys of its own."""

from collections.abc import Mapping
from typing import cast

from pydantic import BaseModel

from stacks.errors import Problem
from stacks.nearest import nearest
from stacks.settings.setting_places import Place, keys_of, kind_of
from stacks.wording import alternatives


def kind_problem(place: Place, value: object) -> Problem:
    """Return what to say where `kind` is missing or unknown.

    Args:
        place: the setting that comes in several kinds.
        value: the whole mapping that stands there.

    """
    typed: Mapping[str, object] = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
    kinds = place.kinds
    allowed = alternatives(list(kinds))
    key = f"{place}.kind"
    if "kind" in typed:
        kind = typed["kind"]
        return Problem(key, kind, "not one of the known kinds", allowed, suggestion=nearest(str(kind), kinds))
    meant = _kind_with_keys(kinds, set(typed))
    suggestion = f"kind: {meant}, to which the other keys belong" if meant else None
    return Problem(key, None, "is missing", allowed, suggestion)


def foreign_key_problem(union: Place, chosen: Place, typed: str, value: object) -> Problem | None:
    """Return what to say about a key that another kind has; None where no kind knows it."""
    own = [key for model in chosen.models for key in keys_of(model)]
    kinds = [kind for kind, model in union.kinds.items() if typed in keys_of(model)]
    if not kinds or not chosen.models:
        return None
    kind = kind_of(chosen.models[0])
    return Problem(
        f"{union}.{typed}",
        value,
        f"kind {kind} has no {typed!r}; kind {alternatives(kinds)} has",
        allowed=", ".join(own),
        suggestion=f"leave {typed} out, or write kind: {kinds[0]}",
    )


def _kind_with_keys(kinds: Mapping[str, type[BaseModel]], typed: set[str]) -> str | None:
    fitting = [kind for kind, model in kinds.items() if typed and typed <= set(keys_of(model))]
    return fitting[0] if len(fitting) == 1 else None
