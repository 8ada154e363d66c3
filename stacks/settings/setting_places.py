"""Where in a stack's settings, or in a recipe, a finding of pydantic's lies, as a person sees it.

Pydantic's location of a finding also names which model of a union it tried, so that `platform.nats.members`
arrives as platform, own, nats, own, members. In the file `own` is a value of `kind`, no key.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from stacks.settings.setting_types import ANY_TEXT, TextForm

Location = tuple[int | str, ...]

_KEY_OF_MAPPING = "[key]"


@dataclass(frozen=True, slots=True)
class Place:
    """One place in a file."""

    root: type[BaseModel]
    """The model of the file as a whole."""
    path: Location
    """The keys and list positions that lead to it in the file."""
    choices: tuple[Any, ...]
    """The types that it may have, without None; empty where the file has no such place."""
    metadata: tuple[Any, ...]
    """What pydantic requires beside the type."""
    is_key: bool = False
    """The finding is about the last key itself, not about its value."""
    in_union: bool = False
    """The location names one model of a union that has no `kind`."""

    @property
    def models(self) -> tuple[type[BaseModel], ...]:
        """The models among the choices."""
        return tuple(choice for choice in self.choices if _is_model(choice))

    @property
    def words(self) -> tuple[Any, ...]:
        """The values of the literals among the choices."""
        literals = (choice for choice in self.choices if get_origin(choice) is Literal)
        return tuple(value for literal in literals for value in get_args(literal))

    @property
    def kinds(self) -> dict[str, type[BaseModel]]:
        """The models among the choices by the word that `kind` has in them."""
        return {kind: model for model in self.models if (kind := kind_of(model))}

    @property
    def form(self) -> TextForm:
        """The form that text has to have."""
        return next((entry for entry in self.metadata if isinstance(entry, TextForm)), ANY_TEXT)

    def __str__(self) -> str:
        return dotted(self.path)


def place_of(root: type[BaseModel], location: Location) -> Place:
    """Return the place that pydantic's location means in a file of this model."""
    place = Place(root, (), (root,), ())
    for part in location:
        place = _step(place, part)
    return place


def place_at(root: type[BaseModel], path: Location) -> Place:
    """Return the place at a path of the file, taking the first model of a union that has the key."""
    place = Place(root, (), (root,), ())
    for part in path:
        choices, metadata = _inside(place.choices, part)
        place = Place(root, (*place.path, part), choices, metadata)
    return place


def field_place(field: FieldInfo) -> Place:
    """Return what may stand in a field, wherever its model is."""
    choices, metadata = _unwrapped(field.annotation)
    return Place(BaseModel, (), choices, (*field.metadata, *metadata))


def choice_place(annotation: Any) -> Place:
    """Return what an annotation allows, such as that of a list's items."""
    choices, metadata = _unwrapped(annotation)
    return Place(BaseModel, (), choices, metadata)


def dotted(path: Location) -> str:
    """Return the path as a person reads it, such as nodePools[0].labels['example.com/pool']."""
    text = ""
    for part in path:
        is_word = isinstance(part, str) and part.isidentifier()
        text += f".{part}" if is_word else f"[{part!r}]"
    return text.removeprefix(".")


def models_within(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the model and all models in it, each once, in the order in which they are written."""
    found = [model]
    for field in model.model_fields.values():
        for inner in models_of(field.annotation):
            found += [deeper for deeper in models_within(inner) if deeper not in found]
    return found


def models_of(annotation: Any) -> list[type[BaseModel]]:
    """Return the models that an annotation names, such as the one in `tuple[NodePoolSettings, ...]`."""
    if _is_model(annotation):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_of(part)]


def keys_of(model: type[BaseModel]) -> list[str]:
    """Return the keys of a model as they stand in YAML."""
    return [field.alias or name for name, field in model.model_fields.items()]


def kind_of(model: type[BaseModel]) -> str | None:
    """Return the word that `kind` has in this model of a union; None for any other model."""
    field = model.model_fields.get("kind")
    return get_args(field.annotation)[0] if field and get_origin(field.annotation) is Literal else None


def _step(place: Place, part: int | str) -> Place:
    """Return the place one part of the location further."""
    if isinstance(part, str) and len(place.choices) > 1:
        chosen = [choice for choice in place.choices if part in _names_of_choice(choice)]
        if chosen:
            in_union = kind_of(chosen[0]) is None if _is_model(chosen[0]) else chosen[0] is not str
            return Place(place.root, place.path, tuple(chosen), place.metadata, in_union=in_union)
    if part == _KEY_OF_MAPPING:
        return _key_place(place)
    choices, metadata = _inside(place.choices, part)
    return Place(place.root, (*place.path, part), choices, metadata)


def _names_of_choice(choice: Any) -> tuple[str, ...]:
    if _is_model(choice):
        kind = kind_of(choice)
        return (kind,) if kind else (choice.__name__,)
    if get_origin(choice) is Literal:
        return (f"literal[{','.join(repr(value) for value in get_args(choice))}]",)
    return ("str",) if choice is str else ()


def _key_place(place: Place) -> Place:
    parent = place_at(place.root, place.path[:-1])
    mappings = [choice for choice in parent.choices if _is_mapping(choice)]
    choices, metadata = _unwrapped(get_args(mappings[0])[0]) if mappings else ((), ())
    return Place(place.root, place.path, choices, metadata, is_key=True)


def _inside(choices: tuple[Any, ...], part: int | str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    for choice in choices:
        found = _inside_one(choice, part)
        if found is not None:
            return found
    return (), ()


def _inside_one(choice: Any, part: int | str) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    if _is_model(choice):
        field = _field(choice, part)
        if field is None:
            return None
        choices, metadata = _unwrapped(field.annotation)
        return choices, (*field.metadata, *metadata)
    if isinstance(part, int):
        return _unwrapped(get_args(choice)[0]) if get_origin(choice) is tuple else None
    return _unwrapped(get_args(choice)[1]) if _is_mapping(choice) else None


def _field(model: type[BaseModel], part: int | str) -> FieldInfo | None:
    return next((field for name, field in model.model_fields.items() if (field.alias or name) == part), None)


def _unwrapped(annotation: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the types in an annotation without None, and what `Annotated` adds to them."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        choices, more = _unwrapped(inner)
        return choices, (*metadata, *more)
    if get_origin(annotation) in {Union, types.UnionType}:
        parts = [_unwrapped(part) for part in get_args(annotation) if part is not type(None)]
        return (
            tuple(choice for choices, _ in parts for choice in choices),
            tuple(entry for _, metadata in parts for entry in metadata),
        )
    return (annotation,), ()


def _is_model(choice: Any) -> bool:
    return isinstance(choice, type) and issubclass(choice, BaseModel)


def _is_mapping(choice: Any) -> bool:
    return get_origin(choice) is Mapping
